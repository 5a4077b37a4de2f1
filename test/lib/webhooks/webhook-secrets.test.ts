import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { CreateSecretCommand, DeleteSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it } from "vitest";
import { createWebhookSecrets, type Proof } from "../../../lib/webhooks/webhook-secrets.ts";
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
  const webhook = { signing: { secret: name } };
  return { name, clock, signing: createWebhookSecrets(test.clients.secrets, webhook, () => clock.now) };
}

const signedWith = (...signWith: string[]): Proof => ({ signWith, headers: {} });
const thrownBy = (work: Promise<unknown>): Promise<unknown> => work.catch((reason: unknown) => reason);

describe("signing secrets", () => {
  it("are one or two, kept for five minutes", async () => {
    const { name, clock, signing } = await secrets({ secrets: [one] });
    expect(await signing.current()).toEqual(signedWith(one));
    await put(name, { secrets: [two, one] });

    clock.now = 5 * MINUTE - 1;
    expect(await signing.current()).toEqual(signedWith(one));
    clock.now = 5 * MINUTE;
    expect(await signing.current()).toEqual(signedWith(two, one));
  });

  it("are read again once an endpoint refuses the signature, but not for each request that it refuses", async () => {
    const { name, clock, signing } = await secrets({ secrets: [one] });
    await signing.current();
    await put(name, { secrets: [two] });
    signing.refused();
    clock.now = 9_999;
    expect(await signing.current()).toEqual(signedWith(one));
    clock.now = 10_000;
    expect(await signing.current()).toEqual(signedWith(two));
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
    expect(await signing.current()).toEqual(signedWith(one));
  });

  it("that are not there at all are missing", async () => {
    const signing = createWebhookSecrets(test.clients.secrets, { signing: { secret: "nowhere" } });
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
    expect(await signing.current()).toEqual(signedWith(one));
    expect(fault.hits()).toBeGreaterThan(0);
  });
});

describe("the secret of auth", () => {
  type Auth = Parameters<typeof createWebhookSecrets>[1]["auth"];
  const header: Auth = { type: "header", header: "x-key", secret: "" };
  const bearer: Auth = { type: "bearer", secret: "" };
  const basic: Auth = { type: "basic", secret: "" };

  async function made(auth: NonNullable<Auth>, value?: unknown) {
    const { name, clock } = await secrets(value);
    const webhook = { auth: { ...auth, secret: name } };
    return { name, clock, secrets: createWebhookSecrets(test.clients.secrets, webhook, () => clock.now) };
  }

  it.each([
    [header, { value: "k-1" }, { "x-key": "k-1" }],
    [bearer, { token: "t-1", other: 1 }, { authorization: "Bearer t-1" }],
    [basic, { username: "crm", password: "pä:ß" }, { authorization: "Basic Y3JtOnDDpDrDnw==" }],
  ])("of %j is one header", async (auth, value, headers) => {
    expect(await (await made(auth, value)).secrets.current()).toEqual({ signWith: [], headers });
  });

  it.each([
    ["no JSON", bearer, "hunter2"],
    ["another field", bearer, { value: "hunter2" }],
    ["a line feed in it", bearer, { token: "hunter2\nx-other: 1" }],
    ["a character that no header carries", header, { value: "hunter2 żółw" }],
    ["nothing", header, { value: "" }],
    ["no password", basic, { username: "hunter2" }],
    ["a colon in the user name", basic, { username: "hunter2:", password: "hunter2" }],
  ])("with %s is unreadable: the error says what is needed, and quotes nothing", async (_what, auth, value) => {
    const error = await thrownBy((await made(auth, value)).secrets.current());
    expect(error).toMatchObject({ code: "AUTH_SECRET_UNREADABLE", hint: expect.stringContaining('{"') });
    expect(inspect(error, { depth: 9 })).not.toMatch(/hunter2|aHVudGVyMg/);
  });

  it("is missing until it is filled in, and read again once an endpoint refuses it", async () => {
    const { name, clock, secrets: those } = await made(bearer);
    expect(await thrownBy(those.current())).toMatchObject({ code: "AUTH_SECRET_MISSING", retryable: true });
    await put(name, { token: "old" });
    expect((await those.current()).headers).toEqual({ authorization: "Bearer old" });
    await put(name, { token: "new" });
    clock.now = 10_000;
    expect((await those.current()).headers).toEqual({ authorization: "Bearer old" });
    those.refused();
    expect((await those.current()).headers).toEqual({ authorization: "Bearer new" });
  });

  it("stands beside the signing secret, and may be the same", async () => {
    const { name } = await secrets({ secrets: [one], token: "t-1" });
    const webhook = { signing: { secret: name }, auth: { ...bearer, secret: name } };
    const those = createWebhookSecrets(test.clients.secrets, webhook);
    expect(await those.current()).toEqual({ signWith: [one], headers: { authorization: "Bearer t-1" } });
  });
});

it("a webhook that names no secret reads none", async () => {
  const before = test.aws.counters()["secretsmanager:GetSecretValue"] ?? 0;
  expect(await createWebhookSecrets(test.clients.secrets, {}).current()).toEqual(signedWith());
  expect(test.aws.counters()["secretsmanager:GetSecretValue"] ?? 0).toBe(before);
});
