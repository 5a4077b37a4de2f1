/** What is shown in the place of something personal. */
export const MASKED = "•••";

/** Fields of which everything is personal, wherever they stand in an event. */
const PERSONAL = new Set([
  "answer",
  "comment",
  "score",
  "matrixScore",
  "labels",
  "raw",
  "crk",
  "promoCode",
  "answersRef",
]);
/** Of the metadata only this is not. */
const OF_METADATA = "responseId";

/**
 * The contents of an event without anything personal: what the respondent has said, and all that is known of him. What is null, empty or
 * false stays, since it tells nothing.
 */
export function masked(detail: unknown): unknown {
  return maskFields(detail, []);
}

function maskFields(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => maskFields(one, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isPersonal(name, path) ? maskWhole(field) : maskFields(field, [...path, name]),
    ]),
  );
}

function isPersonal(name: string, path: readonly string[]): boolean {
  if (path.at(-1) === "metadata") return name !== OF_METADATA;
  // The score of a metric is what the stream shows of a response.
  if (name === "score") return path.at(-1) === "answers";
  return PERSONAL.has(name);
}

function maskWhole(value: unknown): unknown {
  if (value === null || value === "" || value === false) return value;
  return Array.isArray(value) ? value.map(() => MASKED) : MASKED;
}
