import { createHmac, timingSafeEqual } from "node:crypto";

const LIFETIME = 3_600_000;

/** Access tokens that every instance of the service knows to be good: by their signature, not by a list of those issued. */
export interface SharedTokens {
  issue(now: number): string;
  accepts(token: string, now: number): boolean;
}

/** @param secret the client secret, which all instances have */
export function createSharedTokens(secret: string): SharedTokens {
  const sign = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url");
  return {
    issue(now) {
      const claims = { iat: Math.floor(now / 1000), exp: Math.floor((now + LIFETIME) / 1000) };
      const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
      return `${unsigned}.${sign(unsigned)}`;
    },
    accepts(token, now) {
      const [header = "", claims = "", signature = ""] = token.split(".");
      const wanted = Buffer.from(sign(`${header}.${claims}`));
      const given = Buffer.from(signature);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false;
      const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as { exp: number };
      return now < exp * 1000;
    },
  };
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");
