import type { IssuedToken } from "./token-body.ts";

/** The part of a token that is kept between runs. Times are epoch milliseconds. */
export interface StoredToken {
  token: string;
  obtainedAt: number;
  expiresAt: number;
}

/** Validity of a token by section 5 of the API document. */
const VALIDITY = 30 * 24 * 3_600_000;
/** Before its end a token is renewed at leisure: in its last hour, or the last tenth of a short life. */
const RENEW_BEFORE = 3_600_000;
/** Milliseconds; a token that ends sooner by its own claim, when it has just been given, tells of two clocks that differ. */
const LEAST_LIFE = 30_000;

/** A token that has just been obtained, as it is kept. */
export function newToken({ token, life }: IssuedToken, now: number): StoredToken {
  const { exp, iat } = claimsOf(token);
  if (exp !== undefined && exp - now >= LEAST_LIFE) return { token, obtainedAt: now, expiresAt: exp };
  const byClaims = exp !== undefined && iat !== undefined && exp > iat ? exp - iat : undefined;
  // One that seems to end at once is used until it is refused.
  const lasts = life ?? byClaims ?? (exp === undefined ? VALIDITY : 0);
  return { token, obtainedAt: now, expiresAt: now + lasts };
}

export function lifeOf(token: StoredToken, now: number): "valid" | "ending" | "expired" {
  const life = token.expiresAt - token.obtainedAt;
  // Nothing that can be believed says when it ends.
  if (life <= 0) return "valid";
  if (token.expiresAt <= now) return "expired";
  return token.expiresAt - Math.min(RENEW_BEFORE, life / 10) > now ? "valid" : "ending";
}

/** Epoch milliseconds of the claims `exp` and `iat` where the token is a readable JWT that has them. */
function claimsOf(token: string): { exp?: number | undefined; iat?: number | undefined } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const { exp, iat } = (claims ?? {}) as { exp?: unknown; iat?: unknown };
    return { exp: timeOf(exp), iat: timeOf(iat) };
  } catch {
    return {};
  }
}

/** Of seconds since the epoch. */
function timeOf(claim: unknown): number | undefined {
  const at = typeof claim === "number" ? claim * 1000 : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}
