import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { CreateSecretCommand, DeleteSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it } from "vitest";
import { createSigningSecrets } from "../../../lib/webhooks/signing-secret.ts";
import { useAws } from "../support/aws.ts";
import { secretOf } from "./support/endpoint.ts";

const test = useAws();
const MINUTE = 60_000;
const [one, two] = [secretOf(1), secretOf(2)];

const put = (SecretId: string, value: unknown) =>
  test.clients.secrets.send(
    new PutSecretValueCommand({ SecretId, SecretString: typeof value === "string" ? value : JSON.stringify(value) }),
  );

/** A secret, and what reads it by a clock that the test sets. */
async function secrets(value?: unknown) {
  const name = randomUUID();
  await test.clients.secrets.send(new CreateSecretCommand({ Name: name }));
  if (value !== undefined) await put(name, value);
  const clock = { now: 0 };
  return { name, clock, signing: createSigningSecrets(test.clients.secrets, name, () => clock.now) };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> => work.catch((reason: unknown) => reason);

describe("signing secrets", () => {
  it("are one or two, kept for five minutes", async () => {
    const { name, clock, signing } = await secrets({ secrets: [one] });
    expect(await signing.current()).toEqual([one]);
    await put(name, { secrets: [two, one] });

    clock.now = 5 * MINUTE - 1;
    expect(await signing.current()).toEqual([one]);
    clock.now = 5 * MINUTE;
    expect(await signing.current()).toEqual([two, one]);
  });

  it("are read again once an endpoint refuses the signature, but not for each request that it refuses", async () => {
    const { name, clock, signing } = await secrets({ secrets: [one] });
    await signing.current();
    await put(name, { secrets: [two] });
    signing.refused();
    clock.now = 9_999;
    expect(await signing.current()).toEqual([one]);
    clock.now = 10_000;
    expect(await signing.current()).toEqual([two]);
  });

  it("are read once by all who ask at the same time", async () => {
    const { signing } = await secrets({ secrets: [one] });
    const before = test.aws.counters()["secretsmanager:GetSecretValue"] ?? 0;
    await Promise.all([signing.current(), signing.current(), signing.current()]);
    expect((test.aws.counters()["secretsmanager:GetSecretValue"] ?? 0) - before).toBe(1);
  });

  it("that have no value yet are missing, and there as soon as they are filled in", async () => {
    const { name, signing } = await secrets();
    const error = await thrownBy(signing.current());
    expect(error).toMatchObject({ code: "SIGNING_SECRET_MISSING", retryable: true });
    await put(name, { secrets: [one] });
    expect(await signing.current()).toEqual([one]);
  });

  it("that are not there at all are missing", async () => {
    const signing = createSigningSecrets(test.clients.secrets, "nowhere");
    expect(await thrownBy(signing.current())).toMatchObject({ code: "SIGNING_SECRET_MISSING" });
  });

  it.each([
    ["the secret alone", one],
    ["no JSON", `{"secrets":["${one}"`],
    ["none", { secrets: [] }],
    ["three", { secrets: [one, two, one] }],
    ["one that is too short", { secrets: ["whsec_aHVudGVyMg=="] }],
    ["one without its prefix", { secrets: [one.slice(6)] }],
    ["another field", { secret: one }],
  ])("of another form (%s) are unreadable: the error says what is needed, and quotes nothing", async (_what, value) => {
    const { signing } = await secrets(value);
    const error = await thrownBy(signing.current());
    expect(error).toMatchObject({
      code: "SIGNING_SECRET_UNREADABLE",
      hint: expect.stringContaining('{"secrets":["whsec_…"]}'),
    });
    expect(inspect(error, { depth: 9 })).not.toMatch(/hunter2|aHVudGVyMg|AQEBAQ/);
  });

  it("that are marked for deletion are unreadable at once, though they were kept", async () => {
    const { name, clock, signing } = await secrets({ secrets: [one] });
    await signing.current();
    await test.clients.secrets.send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
    clock.now = 6 * MINUTE;
    expect(await thrownBy(signing.current())).toMatchObject({ code: "SIGNING_SECRET_UNREADABLE" });
  });

  it("go on to be used while Secrets Manager fails", async () => {
    const { clock, signing } = await secrets({ secrets: [one] });
    await signing.current();
    const fault = test.aws.faults.add({ service: "secretsmanager", kind: "error" });
    clock.now = 6 * MINUTE;
    expect(await signing.current()).toEqual([one]);
    expect(fault.hits()).toBeGreaterThan(0);
  });
});
