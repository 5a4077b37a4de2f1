import { createHmac, timingSafeEqual } from "node:crypto";
import type { Settings } from "./settings.ts";

/** Issues the access tokens of operation 1 and knows which of them are still good. */
export interface Tokens {
  issue(): string;
  accepts(token: string): boolean;
  /** Makes every token issued so far a wrong one. */
  revokeAll(): void;
  /** Ends the lifetime of every token issued so far. */
  expireAll(): void;
}

export function createTokens(clientId: string, secret: string, settings: () => Settings, now: () => number): Tokens {
  let issued = 0;
  const expiries = new Map<string, number>();
  return {
    issue() {
      const { newTokenRevokesOlder, tokenLifetimeMs } = settings();
      if (newTokenRevokesOlder) expiries.clear();
      issued += 1;
      const issuedAt = Math.floor(now() / 1000);
      const expiresAt = now() + tokenLifetimeMs;
      const claims = { sub: clientId, jti: String(issued), iat: issuedAt, exp: Math.floor(expiresAt / 1000) };
      const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
      const token = `${unsigned}.${createHmac("sha256", secret).update(unsigned).digest("base64url")}`;
      expiries.set(token, expiresAt);
      return token;
    },
    accepts: (token) => now() < (expiries.get(token) ?? Number.NEGATIVE_INFINITY),
    revokeAll: () => expiries.clear(),
    expireAll() {
      for (const token of expiries.keys()) expiries.set(token, now());
    },
  };
}

/** Whether two secrets are equal, in a time that does not tell how much of them is. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");
