/** What is kept of a token between runs. Times are epoch milliseconds. */
export interface StoredToken {
  token: string;
  obtainedAt: number;
  expiresAt: number;
}

/** Validity of a token by section 5 of the API document. */
const VALIDITY = 30 * 24 * 3_600_000;
/** Before its end a token is renewed at leisure: in its last hour, or the last tenth of a short life. */
const RENEW_BEFORE = 3_600_000;

/** A token that has just been obtained, as it is kept. */
export function newToken(token: string, now: number): StoredToken {
  return { token, obtainedAt: now, expiresAt: expiryOf(token) ?? now + VALIDITY };
}

export function lifeOf(token: StoredToken, now: number): "valid" | "ending" | "expired" {
  const life = token.expiresAt - token.obtainedAt;
  // A token that was born expired tells of two clocks that differ: it is used until it is refused.
  if (life <= 0) return "valid";
  if (token.expiresAt <= now) return "expired";
  return token.expiresAt - Math.min(RENEW_BEFORE, life / 10) > now ? "valid" : "ending";
}

/** Epoch milliseconds of the `exp` claim when the token is a readable JWT. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const exp = (claims as { exp?: unknown } | null)?.exp;
    return typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
