import { isObject } from "../../json.ts";
import { parseExactly } from "../bodies/exact-json.ts";

/** A token as the service gives it out. */
export interface IssuedToken {
  token: string;
  /** Milliseconds for which it is valid from now on, where the answer tells. */
  life: number | undefined;
}

/** Names of a field that holds a token, without regard to case, `_` and `-`; the first ones go before. */
const NAMES = ["token", "accesstoken", "access", "jwt", "jwttoken", "bearertoken", "authtoken", "idtoken", "bearer"];
/** Names under which a text stands that nothing calls a token. */
const WRAPPERS = ["data", "result"];
/** Tokens for something else: nothing in a field of such a name is one for the data. */
const FOR_OTHER = /refresh|csrf|xsrf/;
/** The name of a field that tells the life of the token in seconds, written likewise. */
const LIFE = "expiresin";
/** Seconds; what is longer than a century is something else. */
const LONGEST_LIFE = 100 * 366 * 86_400;
/** Levels of objects and lists that are looked into. */
const MOST_NESTED = 16;

/** A text in the answer, with what is known of its place. */
interface Candidate {
  token: string;
  /** Levels above it. */
  depth: number;
  /** The name of the field that holds it, in its plain form; undefined for one in no field. */
  name: string | undefined;
  /** As told beside it, or beside what holds it. */
  life: number | undefined;
}

/**
 * The token in the body of operation 1, whose shape the API document does not show. In JSON it is the first of these that is there. First:
 * the text in a field of a usual name, at the highest level that has one. Second: a text that stands alone, or under a usual wrapper, and
 * looks like a token. Third: the only text that is a JWT. A body that is no JSON is a form, or the token itself. A scheme word before the
 * token, such as `Bearer`, is cut off.
 *
 * @returns undefined when there is none to be found, or two are as likely
 */
export function readTokenBody(body: string): IssuedToken | undefined {
  const text = body.trim();
  const json = jsonOf(text);
  if (json !== undefined) {
    const candidates = candidatesIn(json);
    return onlyOf([named(candidates), candidates.filter(standsAlone), candidates.filter(isJwt)]);
  }
  // What begins as JSON was cut off: up to there it may look like a token.
  if (/^["[{]/.test(text)) return undefined;
  const form = text.includes("=") ? candidatesIn(Object.fromEntries(new URLSearchParams(text))) : [];
  return onlyOf([named(form), candidatesIn(text).filter(standsAlone)]);
}

/** The value of a JSON text; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Of the texts in fields of usual names those of the highest level; of these, of the name that goes before. */
function named(candidates: readonly Candidate[]): Candidate[] {
  const usual = candidates.filter(({ name }) => name !== undefined && NAMES.includes(name));
  const depth = Math.min(...usual.map((candidate) => candidate.depth));
  const highest = usual.filter((candidate) => candidate.depth === depth);
  const name = NAMES.find((one) => highest.some((candidate) => candidate.name === one));
  return highest.filter((candidate) => candidate.name === name);
}

/** The one token in the first of these that has any. */
function onlyOf(groups: readonly (readonly Candidate[])[]): IssuedToken | undefined {
  const [first, ...others] = groups.find((group) => group.length > 0) ?? [];
  if (first === undefined || others.some(({ token }) => token !== first.token)) return undefined;
  return { token: first.token, life: first.life };
}

/** Every text in it that may go into a header. */
function candidatesIn(
  value: unknown,
  at: Pick<Candidate, "name" | "life"> = { name: undefined, life: undefined },
  depth = 0,
): Candidate[] {
  if (typeof value === "string") {
    const token = asToken(value.trim().replace(/^(bearer|token|jwt)\s+/i, ""));
    return token === undefined ? [] : [{ ...at, token, depth }];
  }
  if (typeof value !== "object" || value === null || depth > MOST_NESTED) return [];
  if (Array.isArray(value)) {
    // Several in a list stand for something else each: none of them stands alone.
    const of = value.length > 1 ? { ...at, name: "" } : at;
    return value.flatMap((item) => candidatesIn(item, of, depth + 1));
  }
  const fields = Object.entries(value).map(
    ([name, field]) => [name.toLowerCase().replace(/[_-]/g, ""), field] as const,
  );
  const life = lifeIn(fields.find(([name]) => name === LIFE)?.[1]) ?? at.life;
  return fields.flatMap(([name, field]) =>
    FOR_OTHER.test(name) ? [] : candidatesIn(field, { name, life }, depth + 1),
  );
}

/** Milliseconds, of seconds as a number or a text of digits. */
function lifeIn(field: unknown): number | undefined {
  const seconds = typeof field === "string" && /^\d+$/.test(field) ? Number(field) : field;
  return typeof seconds === "number" && seconds > 0 && seconds <= LONGEST_LIFE ? seconds * 1000 : undefined;
}

/** A text that nothing calls a token has to look like one: of three parts, as a JWT, or long. A single word is a message. */
function standsAlone({ name, token }: Candidate): boolean {
  return (name === undefined || WRAPPERS.includes(name)) && (token.split(".").length === 3 || token.length >= 20);
}

/** Whether it is a JWT, by its header: host names and versions have three parts too. */
function isJwt({ token }: Candidate): boolean {
  return token.split(".").length === 3 && Object.hasOwn(jwtPart(token, 0), "alg");
}

/** The header (0) or the claims (1) of a JWT (RFC 7519); empty where they cannot be read. */
export function jwtPart(token: string, part: 0 | 1): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split(".")[part] ?? "", "base64url").toString("utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A token goes into a header: printable ASCII without spaces, which also keeps an HTML page from being taken for one. */
export function asToken(text: string): string | undefined {
  const token = text.trim();
  return /^[\x21-\x7e]{1,8192}$/.test(token) && !token.startsWith("<") ? token : undefined;
}
