import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { type Answer, type Ending, isListening, survey } from "../support/command.ts";
import { type Deployed, deploy, type Given, onStage, output } from "../support/stage.ts";
import { completed, tick, untilArrived } from "../support/ticks.ts";
import { until } from "../support/until.ts";
import { SIGNED, WEBHOOK_SECRET } from "../support/webhook.ts";
import { consolePage } from "./console-page.ts";

/** What is typed, what its answer has among others, and how it ends. */
type Row = [line: string, answer: Answer, ending?: Ending];

/** A deployment for the operator's command: each verb on a stack. What a verb does is tested in `test/lib/cli`; here it finds the stack's own things. */
export function verbs(given: Given): Promise<void> {
  return onStage(given, "verbs", async (stage) => {
    const on = await deploy(stage, { webhooks: [stage.webhook.config, stage.signed.config] });
    on.report.part("Verbs");
    await beforeTheFirstEvent(on);
    await on.report.step("the history goes out", () => untilArrived(on));
    await whatStatusSays(on);
    await eventsAreHeard(on);
    await signedWebhookHears(on);
    await consolePage(on);
    await sentAgain(on);
    await steered(on);
    await proved(on);
  });
}

async function table(on: Deployed, rows: readonly Row[]): Promise<void> {
  for (const [line, wanted, ending] of rows) {
    await on.report.step(
      `${line.replaceAll(on.simulator.url, "…")}${ending?.code ? `: ${ending.code}` : ""}`,
      async () => assert.partialDeepStrictEqual(await survey(on, line, ending), wanted),
    );
  }
}

async function beforeTheFirstEvent(on: Deployed): Promise<void> {
  const { aws, signed, simulator } = on;
  const { clientId, clientSecret, url } = simulator;
  const input = JSON.stringify({ clientId, clientSecret });
  const wrong = JSON.stringify({ clientId, clientSecret: "another" });
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
  await table(on, [
    ["status --stack Nobody", { error: { code: "STACK_NOT_FOUND" } }, { code: 1 }],
    ["status", { error: { code: "AWS_CREDENTIALS_MISSING" } }, { code: 4, env: none }],
    [`credentials --base-url ${url} --yes`, {}, { input: wrong, code: 4 }],
    [`credentials --base-url ${url} --yes`, { dryRun: false }, { input }],
    // The query may hold a key.
    ["trigger --webhook signed", { dryRun: true, delivery: null, endpoint: signed.config.url.replace(/[?].*/, "") }],
    ["trigger --webhook signed --yes", { error: { code: "SIGNING_SECRET_MISSING" } }, { code: 1 }],
  ]);
  assert.deepEqual(signed.came, []);
  const signing = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const SecretString = JSON.stringify({ secrets: [signing] });
  await aws.secrets.send(new CreateSecretCommand({ Name: SIGNED.signing.secret, SecretString }));
  // From here on the endpoint takes nothing whose signature does not hold.
  signed.knows(signing);
  await table(on, [["trigger --webhook signed --yes", { delivery: { status: 204, outcome: "taken" } }]]);
  const [{ path, headers, event } = assert.fail("nothing came")] = signed.taken();
  assert.deepEqual([path, headers["x-api-key"]], ["/signed?team=research", WEBHOOK_SECRET.value]);
  assert.partialDeepStrictEqual(event.detail.meta, { test: true, eventId: headers["webhook-id"] });
  signed.refuse(1);
  const delivery = { status: 503, firstLine: "not now" };
  await table(on, [["trigger --webhook signed --yes", { delivery }, { code: 1 }]]);
}

async function whatStatusSays(on: Deployed): Promise<void> {
  const truth = on.simulator.truth().length;
  await table(on, [["status", { verdict: "complete", listed: truth, accounted: truth }]]);
  await on.report.step("doctor", async (note) => {
    const { checks, services } = (await survey(on, "doctor")) as { checks: Record<string, string>[]; services: [] };
    assert.deepEqual([services.length, checks.filter(({ state }) => state === "fail")], [1, []]);
    for (const { state, check, says } of checks) note(`${state} ${check}: ${says}`);
  });
  await table(on, [["credentials renew --yes", { dryRun: false }]]);
}

/** Completes a response while a command listens, and gives its id with the answer of the command. */
async function whileListening(on: Deployed, line: string): Promise<[id: number | undefined, answer: Answer]> {
  const hearing = survey(on, `${line} --count 1 --for 60s --filter {"detail-type":["response.completed"]}`);
  await until("it has made no rule", () => isListening(on));
  const [responseId] = on.simulator.complete(1);
  await tick(on);
  const answer = await hearing;
  assert.equal(await isListening(on), false);
  return [responseId, answer];
}

async function eventsAreHeard(on: Deployed): Promise<void> {
  const { report } = on;
  await report.step("tail: hears what completes meanwhile, and leaves no rule", async () => {
    const [responseId, answer] = await whileListening(on, "tail");
    assert.partialDeepStrictEqual(answer, { detail: { data: { responseId } } });
  });
  await report.step("listen: posts what completes to a consumer on this machine, signed", async () => {
    const signatures: unknown[] = [];
    const consumer = createServer((request, response) => {
      signatures.push(request.headers["webhook-signature"]);
      request.resume().once("end", () => response.end());
    });
    await once(consumer.listen(0, "127.0.0.1"), "listening");
    const { port } = consumer.address() as AddressInfo;
    await whileListening(on, `listen --forward-to http://127.0.0.1:${port}/events`);
    consumer.close();
    assert.match(String(signatures), /^v1,/);
  });
}

async function signedWebhookHears(on: Deployed): Promise<void> {
  const { report, signed } = on;
  await report.step("a signed webhook has had every event", async (note) => {
    await untilArrived(on);
    const wanted = completed(on).map(({ detail }) => detail.meta.eventId);
    const ids = () => new Set(signed.taken().map(({ headers }) => headers["webhook-id"]));
    await until("not all have come", () => wanted.every((id) => ids().has(id)));
    note(`${wanted.length} events`);
  });
  await table(on, [
    ["trigger detractor --yes", { type: "response.completed" }],
    ["trigger large --yes", { kind: "large" }],
  ]);
  await report.step("the answers of a large event can be had by its address, without credentials", async (note) => {
    const large = () => signed.taken().find(({ event }) => event.detail.data.answersRef != null);
    await until("it does not come", () => large() !== undefined);
    const { answersRef, response } = large()?.event.detail.data ?? assert.fail();
    const { url = "", bytes } = answersRef as { url?: string; bytes: number };
    const text = await (await fetch(url)).text();
    assert.equal(Buffer.byteLength(text), bytes);
    assert.equal((JSON.parse(text) as unknown[]).length, response.answerCount);
    note(`${bytes} bytes`);
  });
}

async function sentAgain(on: Deployed): Promise<void> {
  const { report, everything } = on;
  const events = () => completed(on).filter(({ detail }) => detail.meta.sourceName === "main");
  await everything.drain();
  const [dropped = "", ...kept] = new Set(events().map(({ detail }) => detail.meta.eventId));
  const file = join(on.folder, "ids.txt");
  writeFileSync(file, kept.join("\n"));
  const verify = `verify --ids ids.txt --as-of ${new Date(Date.now() + 60_000).toISOString()}`;
  await table(on, [
    [verify, { missing: [{ eventId: dropped }] }, { code: 5 }],
    [`${verify} --resend --yes`, { missing: [{ eventId: dropped }] }],
  ]);
  await report.step("what was missing comes, as a replay", async () => {
    const again = () => events().filter(({ detail }) => detail.meta.eventId === dropped);
    await until("it has not come", async () => {
      await everything.drain();
      return again().length > 1;
    });
    assert.equal(again().at(-1)?.detail.meta.origin, "replay");
    writeFileSync(file, [dropped, ...kept].join("\n"));
  });
  await table(on, [
    [verify, { verdict: "complete" }],
    [`resend ${dropped} --yes`, { dryRun: false, events: 1 }],
  ]);
}

async function steered(on: Deployed): Promise<void> {
  const { report, simulator } = on;
  const [unreadable = 0] = simulator.complete(2, 1, { patch: { completed: "maybe" } });
  await tick(on);
  await table(on, [
    ["quarantine list", { total: 1 }],
    [`quarantine show ${unreadable}`, { id: unreadable }],
    // The kept records are as they were: only the list can read otherwise by now.
    ["quarantine redrive --all --yes", { surveys: [{ left: { unreadable: 1 } }] }, { code: 1 }],
  ]);
  simulator.remove(2, unreadable);
  const id = simulator.truth(1)[0]?.responseId;
  await table(on, [[`forget ${id} --survey 1 --yes`, { dryRun: false, responses: [{ surveyId: 1 }] }]]);
  await tick(on);
  await table(on, [["pause --yes", { dryRun: false }]]);
  await report.step("nothing is polled, and status says so", async (note) => {
    const { requests } = simulator.counters();
    assert.match(await tick(on), /pausedUntil/);
    assert.equal(simulator.counters().requests, requests);
    // One response is quarantined, which counts for more.
    const { sentence } = await survey(on, "status", { code: 5 });
    assert.match(String(sentence), /Paused/);
    note(String(sentence));
  });
  await table(on, [
    ["resume --yes", { dryRun: false }],
    ["backfill --survey 1 --from 2020-01-01 --to 2030-01-01 --yes", { outcome: "nothing" }],
  ]);
}

async function proved(on: Deployed): Promise<void> {
  const { report, simulator, aws } = on;
  const [responseId = 0] = simulator.complete(1);
  await report.step("explain: the story of a response that went out, out of ledger and log", async (note) => {
    await untilArrived(on);
    // A run writes its lines at its end.
    await until("the log has no line of it", async () => {
      const lines = await aws.logs(output(on, "PollLogGroupName"));
      return lines.some((line) => line.includes(`"responseId":${responseId},`));
    });
    const story = await survey(on, `explain ${responseId}`);
    const told = (story.steps as { what: string }[]).map(({ what }) => what);
    assert.partialDeepStrictEqual(new Set(told), new Set(["completed", "listed", "proved", "bus", "ledger"]));
    assert.equal(story.verdict, "emitted");
    note(told.join(", "));
  });
  const surveys = [1, 2, 3].map((surveyId) => ({
    surveyId,
    outcome: "closed",
    listed: simulator.truth(surveyId).length,
  }));
  await table(on, [
    ["explain 999999999", {}, { code: 1 }],
    ["audit --sample 50%", { surveys: [{ missing: [] }] }],
    ["audit --now --yes", { surveys }],
  ]);
  await tick(on);
  // The books are closed, and the one that is quarantined does not go out.
  await table(on, [["status", { verdict: "withheld" }, { code: 5 }]]);
}
