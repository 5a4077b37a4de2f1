import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { isSigningSecret, signedHeaders } from "../../../lib/webhooks/signature.ts";
import { secretOf } from "./support/endpoint.ts";

const [fresh, old, stranger] = [secretOf(1), secretOf(2), secretOf(3)];
const signed = () => ({ id: "e-1", at: new Date(), body: '{"detail":{"comment":"żółw"}}' });

describe("a signature", () => {
  it.each([
    ["the new one", fresh],
    ["the old one", old],
  ])("by two secrets in rotation is taken by the verifier of the standard with %s", (_which, secret) => {
    const one = signed();
    const headers = signedHeaders(one, [fresh, old]);
    expect(headers["webhook-id"]).toBe("e-1");
    expect(new Webhook(secret).verify(one.body, headers)).toEqual(JSON.parse(one.body));
  });

  it("is refused with another secret, another body, another id, and five minutes later", () => {
    const one = signed();
    const headers = signedHeaders(one, [fresh, old]);
    expect(() => new Webhook(stranger).verify(one.body, headers)).toThrow("No matching signature");
    expect(() => new Webhook(fresh).verify(`${one.body} `, headers)).toThrow("No matching signature");
    expect(() => new Webhook(fresh).verify(one.body, { ...headers, "webhook-id": "e-2" })).toThrow();
    const late = signedHeaders({ ...one, at: new Date(Date.now() - 301_000) }, [fresh]);
    expect(() => new Webhook(fresh).verify(one.body, late)).toThrow("too old");
  });
});

describe("a signing secret", () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;

  it.each([of(24), of(32), of(64)])("may be %s", (text) => {
    expect(isSigningSecret(text)).toBe(true);
  });

  it.each([of(23), of(65), of(32).slice(6), "whsec_", "whsec_not base64 at all, but long enough", ` ${of(32)}`])(
    "may not be %j",
    (text) => {
      expect(isSigningSecret(text)).toBe(false);
    },
  );
});
