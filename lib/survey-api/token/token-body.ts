/** Names of a field that holds a token, without regard to case, `_` and `-`; the first ones go before. */
const names = ["token", "accesstoken", "jwt", "jwttoken", "bearertoken", "authtoken", "idtoken", "bearer"];

/** A token as the service gives it out. */
export interface IssuedToken {
  token: string;
  /** Milliseconds for which it is valid from now on, where the answer tells. */
  life: number | undefined;
}

/** The name of a field beside the token that tells its life in seconds, without regard to case, `_` and `-`. */
const LIFE = "expiresin";
/** Seconds; what is longer than a century is something else. */
const LONGEST_LIFE = 100 * 366 * 86_400;

/**
 * The token in the body of operation 1, whose shape the API document does not show: raw text, a JSON string, an object
 * with a field of a usual name, or an array of one of these; with its `expires_in`, where such a field stands beside it or beside
 * what holds it. Undefined when there is none to be found.
 */
export function readTokenBody(body: string): IssuedToken | undefined {
  const text = body.trim();
  try {
    return tokenIn(JSON.parse(text), 0);
  } catch {
    // What begins as JSON was cut off: up to there it may look like a token.
    return /^["[{]/.test(text) ? undefined : issued(asUnnamed(text));
  }
}

function tokenIn(value: unknown, depth: number): IssuedToken | undefined {
  if (depth > 3) return undefined;
  if (typeof value === "string") return issued(asUnnamed(value));
  if (Array.isArray(value)) return value.length === 1 ? tokenIn(value[0], depth + 1) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const plain = new Map(
    Object.entries(fields).map(([name, field]) => [name.toLowerCase().replace(/[_-]/g, ""), field]),
  );
  for (const name of names) {
    const field = plain.get(name);
    const token = typeof field === "string" ? asToken(field) : undefined;
    if (token !== undefined) return issued(token, plain.get(LIFE));
  }
  for (const name of ["data", "result"]) {
    const found = name in fields ? tokenIn(fields[name], depth + 1) : undefined;
    if (found !== undefined) return { token: found.token, life: found.life ?? lifeIn(plain.get(LIFE)) };
  }
  return undefined;
}

function issued(token: string | undefined, life?: unknown): IssuedToken | undefined {
  return token === undefined ? undefined : { token, life: lifeIn(life) };
}

/** Milliseconds, of seconds as a number or a text of digits. */
function lifeIn(field: unknown): number | undefined {
  const seconds = typeof field === "string" && /^\d+$/.test(field) ? Number(field) : field;
  return typeof seconds === "number" && seconds > 0 && seconds <= LONGEST_LIFE ? seconds * 1000 : undefined;
}

/** A text that nothing calls a token has to look like one: a JWT, or long; a single word is a message. */
function asUnnamed(text: string): string | undefined {
  const token = asToken(text);
  return token !== undefined && (token.split(".").length === 3 || token.length >= 20) ? token : undefined;
}

/** A token goes into a header: printable ASCII without spaces, which also keeps an HTML page from being taken for one. */
export function asToken(text: string): string | undefined {
  const token = text.trim();
  return /^[\x21-\x7e]{1,8192}$/.test(token) && !token.startsWith("<") ? token : undefined;
}
