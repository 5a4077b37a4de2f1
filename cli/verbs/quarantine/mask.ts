import { isObject } from "../../../lib/events/build/fields.ts";

/** Fields of a record that tell which one it is, and whether it is completed. */
const SHOWN = ["responseId", "surveyId", "questionId", "completed", "dateStart", "dateCompleted"];
/** The other documented ones: their names say nothing of anybody. */
const MASKED = ["iso3166", "crk", "promoCode", "answer", "comment", "score", "matrixScore"];
/** Longer text is none of what `SHOWN` is documented to be. */
const LONGEST = 40;

/** A record without anything personal: ids, dates and `completed`, and the names of what else it holds. */
export function masked(record: unknown): object {
  if (!isObject(record)) return { masked: [kindOf(record)] };
  const shown = SHOWN.flatMap((name) => (Object.hasOwn(record, name) ? [[name, plain(record[name])]] : []));
  const others = Object.keys(record).filter((name) => !SHOWN.includes(name));
  const named = others.filter((name) => MASKED.includes(name));
  const foreign = others.length - named.length;
  return {
    ...Object.fromEntries(shown),
    masked: [...named, ...(foreign === 0 ? [] : [`${foreign} undocumented`])],
  };
}

/** A value that is small; of any other only what it is. */
function plain(value: unknown): unknown {
  const isSmall = typeof value === "string" ? value.length <= LONGEST : value === null || typeof value !== "object";
  return isSmall ? value : `(${kindOf(value)})`;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return `text of ${value.length} characters`;
  return Array.isArray(value) ? `list of ${value.length}` : value === null ? "null" : typeof value;
}
