import { type AboutAnswer, UnreadableBodyError } from "../errors.ts";
import { type BodyOf, type Documented, documents } from "./documents.ts";
import { JsonTooLargeError, parseExactly } from "./exact-json.ts";
import { type Field, type Odd, readInside } from "./field.ts";
import { asArray, saysNothing } from "./json.ts";
import { outline, outlineText, safeKey } from "./outline.ts";
import { type Asked, aboutAsked } from "./subject.ts";

/** Turns the JSON of an answer into what a function gives, or throws an `UnreadableBodyError`. */
export type ReadBody<T> = (body: unknown, about: AboutAnswer) => T;

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

/** What a body holds of the elements that the document shows in it. */
interface Elements {
  values: unknown[];
  /** The keys of a map. */
  keys?: string[];
  /** The place of each in the body; left out for the positions in a list. */
  places?: Odd["path"][];
  /** Whether a list stands in the place of a map. */
  isList?: boolean;
  /** What is not as documented of the body as a whole. */
  odd?: Odd[];
}

/** A body without any documented field is no answer: some services send an error with status 200. */
function elementsOf(operation: Documented, asked: Asked, body: unknown, about: AboutAnswer): Elements {
  if (saysNothing(body)) return { values: [] };
  const { form, isTold } = documents[operation];
  const found = form === "map" ? inMap(isTold, body, about) : inList(isTold, aboutAsked(body, asked, about), about);
  // fault: error-body-is-metrics
  if (!found.values.some(isTold)) throw unreadable(body, about, []);
  return found;
}

/** A bare element is read as a list of one. */
function inList(isTold: (value: unknown) => boolean, body: unknown, about: AboutAnswer): Elements {
  const values = asArray(body) ?? (isTold(body) ? [body] : undefined);
  if (values === undefined) throw unreadable(body, about, [{ path: [], expected: "array" }]);
  return { values };
}

/**
 * The shape of sections 2.6 and 2.7: an array with one object. The bare object is read too, and several objects as one, unless a key comes
 * twice. A list stands for a map where a service has one type for both.
 */
function inMap(isTold: (value: unknown) => boolean, body: unknown, about: AboutAnswer): Elements {
  const odd = [{ path: [], expected: "array with one object" }];
  const given: unknown[] = Array.isArray(body) ? body : [body];
  let isList = false;
  const maps = given.map((map, position): object => {
    if (map === null) return {};
    if (typeof map !== "object") throw unreadable(body, about, odd);
    const isBare = isTold(map);
    isList ||= isBare || (Array.isArray(map) && map.length > 0);
    return isBare ? { [position]: map } : map;
  });
  const keys = maps.flatMap(Object.keys);
  const values = maps.flatMap(Object.values);
  if (maps.length > 1 && new Set(keys).size < values.length) throw unreadable(body, about, odd);
  const places = maps.flatMap((map, position) => {
    const at = Array.isArray(body) ? [position] : [];
    return Object.keys(map).map((key) => (map === given[position] ? [...at, key] : at));
  });
  return { values, keys, places, isList, odd: isList || maps.length > 1 ? odd : [] };
}

const byKey = (keys: string[] = [], values: unknown[]): Record<string, unknown> =>
  Object.fromEntries(keys.map((key, i) => [key, values[i]]));

/** Gives the elements of a body as they were read: in a list, or by key where the body is a map. */
export function untyped(operation: Documented, asked: Asked): ReadBody<Record<string, unknown> | unknown[]> {
  const isMap = documents[operation].form === "map";
  return (body, about) => {
    const { values, keys, isList } = elementsOf(operation, asked, body, about);
    return isMap && !isList ? byKey(keys, values) : values;
  };
}

/** Gives a documented body. What has to be readable is; with `strict` it throws for any other field that is not as documented too. */
export function typed<O extends Documented>(operation: O, asked: Asked, strict: boolean): ReadBody<BodyOf<O>> {
  const { form, element, isTold } = documents[operation];
  function read(body: unknown, about: AboutAnswer): unknown {
    const { values: found, keys, places, odd = [] } = elementsOf(operation, asked, body, about);
    const values = found.map((value, i) => {
      const before = odd.length;
      const read = readInside(element as Field<unknown>, value, places?.[i] ?? [i], odd);
      // Any object at all would be taken for a resource whose fields may all be odd, such as an error that comes with status 200.
      if (odd.length > before && !isTold(value)) for (const one of odd.slice(before)) one.isUnreadable = true;
      return read;
    });
    const worst = odd.filter(({ isUnreadable }) => isUnreadable);
    if (worst.length > 0) throw unreadable(body, about, worst);
    if (strict && odd.length > 0) throw unreadable(body, about, odd);
    if (form === "list") return values;
    if (form === "map") return byKey(keys, values);
    if (values.length === 1) return values[0];
    throw unreadable(body, about, [{ path: [], expected: "array with one object" }]);
  }
  return read as ReadBody<BodyOf<O>>;
}

/** Reads a body that the API document does not show, in every shape that is plausible. */
export function notShown<T>(read: ReadBody<T | undefined>): ReadBody<T> {
  return (body, about) => {
    const value = read(body, about);
    if (value === undefined) throw unreadable(body, about, []);
    return value;
  };
}

/** Places that are named in a message; there may be one for each of a hundred records. */
const MOST_NAMED = 3;

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
function nameOf({ path }: Odd): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${safeKey(step)}`));
  return steps.join("").replace(/^\./, "");
}
