import { type AboutAnswer, UnreadableBodyError } from "../errors.ts";
import { documents, type ElementOf, type OperationOf } from "./documents.ts";
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

/**
 * The elements of a list that are about what was asked for, as they were read: none where nothing is said. A bare element is read as a list
 * of one. A list without any documented field is no answer: some services send an error with status 200.
 */
export function elementsOf(operation: OperationOf<"list" | "one">, asked: Asked): ReadBody<unknown[]> {
  const { isTold } = documents[operation];
  return (given, about) => {
    if (saysNothing(given)) return [];
    const body = aboutAsked(given, asked, about);
    const list = asArray(body) ?? (isTold(body) ? [body] : undefined);
    if (list === undefined) throw unreadable(body, about, [{ path: [], expected: "array" }]);
    if (!list.some(isTold)) throw unreadable(body, about, []);
    return list;
  };
}

/** What a body holds by key. */
interface Entries {
  /** Each with the place where it stands in the body. */
  entries: { key: string; value: unknown; at: Odd["path"] }[];
  /** Whether a list stands in the place of a map; the keys are positions then. */
  isList: boolean;
  /** What is not as documented of the body as a whole. */
  odd: Odd[];
}

/**
 * The values of a body by key, in the shape of sections 2.6 and 2.7: an array with one object. The bare object is read too, and several
 * objects as one, unless a key comes twice. A list stands for a map where a service has one type for both. Likewise no answer without any
 * documented field.
 */
export function entriesOf(operation: OperationOf<"map">): ReadBody<Entries> {
  const { isTold } = documents[operation];
  return (body, about) => {
    if (saysNothing(body)) return { entries: [], isList: false, odd: [] };
    const odd = [{ path: [], expected: "array with one object" }];
    const maps: unknown[] = Array.isArray(body) ? body : [body];
    let isList = false;
    const entries = maps.flatMap((map, position): Entries["entries"] => {
      if (map === null) return [];
      if (typeof map !== "object") throw unreadable(body, about, odd);
      const at = Array.isArray(body) ? [position] : [];
      const isBare = isTold(map);
      isList ||= isBare || (Array.isArray(map) && map.length > 0);
      if (isBare) return [{ key: String(position), value: map, at }];
      return Object.entries(map).map(([key, value]) => ({ key, value, at: [...at, key] }));
    });
    if (new Set(entries.map(({ key }) => key)).size < entries.length) throw unreadable(body, about, odd);
    // fault: error-body-is-metrics
    if (!entries.some(({ value }) => isTold(value))) throw unreadable(body, about, []);
    return { entries, isList, odd: isList || maps.length > 1 ? odd : [] };
  };
}

/** The readers of documented bodies. What has to be readable is; with `strict` they throw for any other field that is not as documented too. */
export function typedReaders(strict: boolean) {
  /** @param odd what is not as documented of the body as a whole */
  function readEach<O extends keyof typeof documents>(
    operation: O,
    parts: readonly { value: unknown; at: Odd["path"] }[],
    { body, about, odd }: { body: unknown; about: AboutAnswer; odd: Odd[] },
  ): ElementOf<O>[] {
    const { element, isTold } = documents[operation];
    const read = parts.map(({ value, at }) => {
      const before = odd.length;
      const typed = readInside(element as Field<unknown>, value, at, odd);
      // Any object at all would be taken for a resource whose fields may all be odd, such as an error that comes with status 200.
      if (odd.length > before && !isTold(value)) for (const one of odd.slice(before)) one.isUnreadable = true;
      return typed as ElementOf<O>;
    });
    const worst = odd.filter(({ isUnreadable }) => isUnreadable);
    if (worst.length > 0) throw unreadable(body, about, worst);
    if (strict && odd.length > 0) throw unreadable(body, about, odd);
    return read;
  }

  const list = <O extends OperationOf<"list" | "one">>(operation: O, asked: Asked): ReadBody<ElementOf<O>[]> => {
    const elements = elementsOf(operation, asked);
    return (body, about) => {
      const parts = elements(body, about).map((value, i) => ({ value, at: [i] }));
      return readEach(operation, parts, { body, about, odd: [] });
    };
  };

  return {
    list,
    one<O extends OperationOf<"one">>(operation: O, asked: Asked): ReadBody<ElementOf<O>> {
      const elements = list(operation, asked);
      return (body, about) => {
        const [only, ...others] = elements(body, about);
        if (only !== undefined && others.length === 0) return only;
        throw unreadable(body, about, [{ path: [], expected: "array with one object" }]);
      };
    },
    map<O extends OperationOf<"map">>(operation: O): ReadBody<Record<string, ElementOf<O>>> {
      const entriesIn = entriesOf(operation);
      return (body, about) => {
        const { entries, odd } = entriesIn(body, about);
        const values = readEach(operation, entries, { body, about, odd });
        return Object.fromEntries(entries.map(({ key }, i) => [key, values[i]])) as Record<string, ElementOf<O>>;
      };
    },
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
