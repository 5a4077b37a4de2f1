const names = ["token", "access_token", "accessToken", "jwt", "id_token"];

/**
 * The token in the body of operation 1, whose shape the API document does not show: raw text, a JSON string, an object
 * with a field of a usual name, or an array of one of these. Undefined when there is none to be found.
 */
export function readTokenBody(body: string): string | undefined {
  const text = body.trim();
  try {
    return tokenIn(JSON.parse(text), 0);
  } catch {
    return asToken(text);
  }
}

function tokenIn(value: unknown, depth: number): string | undefined {
  if (depth > 3) return undefined;
  if (typeof value === "string") return asToken(value);
  if (Array.isArray(value)) return value.length === 1 ? tokenIn(value[0], depth + 1) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  for (const name of names) {
    const token = typeof fields[name] === "string" ? asToken(fields[name]) : undefined;
    if (token !== undefined) return token;
  }
  for (const name of ["data", "result"]) {
    const token = name in fields ? tokenIn(fields[name], depth + 1) : undefined;
    if (token !== undefined) return token;
  }
  return undefined;
}

/** A token goes into a header: printable ASCII without spaces, which also keeps an HTML page from being taken for one. */
function asToken(text: string): string | undefined {
  const token = text.trim();
  return /^[\x21-\x7e]{1,8192}$/.test(token) && !token.startsWith("<") ? token : undefined;
}
