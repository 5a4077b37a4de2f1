import { type AboutAnswer, UnreadableBodyError } from "../errors.ts";
import type { DataOperation } from "../operations.ts";
import { type Shown, shownOf } from "./documents.ts";
import { JsonTooLargeError, parseExactly } from "./exact-json.ts";
import type { Odd } from "./field.ts";
import { asArray, entriesIn } from "./json.ts";
import { outline, outlineText, safeKey } from "./outline.ts";

/** Turns the JSON of an answer into what a function gives, or throws an `UnreadableBodyError`. */
export type ReadBody<T> = (body: unknown, about: AboutAnswer) => T;

/** Places that are named in a message; there may be one for each of a hundred records. */
const MOST_NAMED = 3;

/** The JSON of a body, its integers exact. The parser's own message quotes the text, which may hold personal data: it is left behind. */
export function readJson(text: string, about: AboutAnswer): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    const excerpt = outlineText(text);
    if (error instanceof JsonTooLargeError) {
      const hint = "No answer of the survey service does: check `baseUrl`, or ask its operator.";
      throw new UnreadableBodyError(`the answer ${error.message}`, { ...about, excerpt, hint });
    }
    const hint = "A proxy or a maintenance page may stand before the service; check `baseUrl`.";
    throw new UnreadableBodyError("the answer is not JSON", { ...about, retryable: true, excerpt, hint });
  }
}

/** Reads a documented body: what has to be readable is, or it throws. With `strict` it throws for any other field that is not as documented too. */
export function documented<T>(shown: Shown<T>, strict: boolean): ReadBody<T> {
  return (body, about) => {
    const odd: Odd[] = [];
    const value = shown.body.read(body, odd);
    const worst = odd.filter(({ isUnreadable }) => isUnreadable);
    if (worst.length > 0) throw unreadable(body, about, worst);
    if (strict && odd.length > 0) throw unreadable(body, about, odd);
    return value;
  };
}

/** Reads a body that the API document does not show, in every shape that is plausible. */
export function notShown<T>(read: (body: unknown) => T | undefined): ReadBody<T> {
  return (body, about) => {
    const value = read(body);
    if (value === undefined) throw unreadable(body, about, []);
    return value;
  };
}

/** The elements of a list, as they were read. */
export const elements: ReadBody<unknown[]> = (body, about) => {
  const list = asArray(body);
  if (list === undefined) throw unreadable(body, about, [{ path: [], expected: "array" }]);
  return list;
};

/**
 * The same for callers that judge each element separately. A bare element is read as a list of one. A list without any documented field is
 * no answer: some services send an error with status 200.
 */
export function elementsOf(operation: DataOperation): ReadBody<unknown[]> {
  const { isTold } = shownOf(operation);
  return (body, about) => {
    const isBare = asArray(body) === undefined && isTold?.(body) === true;
    const list = isBare ? [body] : elements(body, about);
    if (isTold !== undefined && list.length > 0 && !list.some(isTold)) throw unreadable(body, about, []);
    return list;
  };
}

/** The values of a body by key, as they were read; a list where there are no keys. Likewise no answer without any documented field. */
export function asEntries(operation: DataOperation): ReadBody<Record<string, unknown> | unknown[]> {
  const { isTold: isValue = () => true } = shownOf(operation);
  return (body, about) => {
    const found = entriesIn(body, isValue);
    if (found === undefined) throw unreadable(body, about, [{ path: [], expected: "array with one object" }]);
    const values = found.entries.map(({ value }) => value);
    // fault: error-body-is-metrics
    if (values.length > 0 && !values.some(isValue)) throw unreadable(body, about, []);
    return found.isList ? values : Object.fromEntries(found.entries.map(({ key, value }) => [key, value]));
  };
}

function unreadable(body: unknown, about: AboutAnswer, places: readonly Odd[]): UnreadableBodyError {
  const named = places.slice(0, MOST_NAMED).map((place) => `${nameOf(place) || "it"} should be ${place.expected}`);
  if (places.length > MOST_NAMED) named.push(`and ${places.length - MOST_NAMED} more`);
  const what = named.length > 0 ? `is not as documented (${named.join(", ")})` : "cannot be understood";
  return new UnreadableBodyError(`the answer ${what}`, {
    ...about,
    excerpt: outline(body),
    hint: "Check `baseUrl`: is it the survey service? `read()` gives the JSON as it is.",
  });
}

/** Field names separated by dots, indexes in brackets, such as `[3].languageId`; what may be data instead of a name is shown as `…`. */
export function nameOf({ path }: Odd): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${safeKey(step)}`));
  return steps.join("").replace(/^\./, "");
}
