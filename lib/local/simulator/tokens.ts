import { createHmac } from "node:crypto";
import type { Settings } from "./settings.ts";

export type Tokens = ReturnType<typeof createTokens>;

/** Issues the access tokens of operation 1 and knows which of them are still good. */
export function createTokens(clientId: string, secret: string, settings: () => Settings, now: () => number) {
  let issued = 0;
  /** Epoch milliseconds until which each token is good. */
  const known = new Map<string, number>();
  return {
    issue(): string {
      const { newTokenRevokesOlder, tokenLifetimeMs } = settings();
      if (newTokenRevokesOlder) known.clear();
      issued += 1;
      const issuedAt = Math.floor(now() / 1000);
      const expiresAt = now() + tokenLifetimeMs;
      const claims = { sub: clientId, jti: String(issued), iat: issuedAt, exp: Math.floor(expiresAt / 1000) };
      const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
      const token = `${unsigned}.${createHmac("sha256", secret).update(unsigned).digest("base64url")}`;
      known.set(token, expiresAt);
      return token;
    },
    /** Whether a data request with this token is served. */
    accept: (token: string): boolean => now() < (known.get(token) ?? Number.NEGATIVE_INFINITY),
    /** Makes every token issued so far a wrong one. */
    revokeAll: (): void => known.clear(),
  };
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Operation 1, of which the API document does not show the body. */
export function tokenBody(token: string, settings: Settings): { body: string; type: string } {
  const expires_in = Math.floor(settings.tokenLifetimeMs / 1000);
  switch (settings.tokenBody) {
    case "raw":
      return { body: token, type: "text/plain" };
    case "token":
      return json({ token });
    case "access_token":
      return json({ access_token: token, token_type: "bearer", expires_in });
    case "form": {
      const fields = { access_token: token, token_type: "bearer", expires_in: String(expires_in) };
      return { body: new URLSearchParams(fields).toString(), type: "application/x-www-form-urlencoded" };
    }
  }
}

const json = (body: unknown) => ({ body: JSON.stringify(body), type: "application/json" });
