import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createCommands, type Heard, type Tail } from "./commands.ts";
import { HISTORY, isNews, LARGE, type ServiceSettings, serveOnLoopback } from "./service.ts";

const USAGE = `npm run smoke -- [flags]

In a real AWS account: deploys a survey service and a poller of it, shows with them what no emulator can, and removes both.
docs/internals/smoke.md says what each check shows.

  --keep    leaves what it has made
  --clean   only removes what an earlier run has left
  --help`;

const { values: flags } = parseArgs({
  options: { keep: { type: "boolean" }, clean: { type: "boolean" }, help: { type: "boolean" } },
});
if (flags.help === true) {
  console.log(USAGE);
  process.exit(0);
}

const SERVICE_STACK = "SurveyPollerSmokeService";
const STACK = "SurveyPollerSmoke";
const BUS = "survey-poller-smoke";
const isEmulator = process.env.AWS_ENDPOINT_URL !== undefined;
/** Milliseconds between two looks at what is awaited: AWS counts requests, an emulator does not. */
const EVERY = isEmulator ? 500 : 5_000;
const MINUTE = 60_000;

const folder = mkdtempSync(join(tmpdir(), "survey-poller-smoke-"));
const config = join(folder, "config.json");
const { cdk, surveyPoller, aws, tail, end } = createCommands(folder);
const service: ServiceSettings = {
  origin: Date.now(),
  clientId: "smoke",
  clientSecret: randomBytes(24).toString("base64url"),
};
const serviceApp = ["--app", `"${process.execPath}" test/smoke/app.ts`];
// Custom resources hang on the emulator: there the bucket cannot be emptied as the stack goes.
const onRemoval = isEmulator ? "keep" : "destroy";
const context = [`config=${config}`, `stackName=${STACK}`, `onRemoval=${onRemoval}`, "terminationProtection=false"];
const pollerApp = context.flatMap((one) => ["-c", one]);
writeConfig("https://surveys.example.com");

let url = "";
let outputs: Record<string, string> = {};
let listener: Tail | undefined;
let isInterrupted = false;
const totals = { passed: 0, failed: 0, skipped: 0 };

process.on("SIGINT", () => {
  // Once more means at once.
  if (isInterrupted) process.exit(130);
  isInterrupted = true;
  console.log("interrupted: removing what was made; once more ends at once");
  end();
});

if (isEmulator) console.log("AWS_ENDPOINT_URL is set: what answers there is taken for an emulator");
await check("clean", removeAll);
if (flags.clean !== true && totals.failed === 0) {
  await check("deploy", deploy);
  if (totals.failed === 0) {
    await check("events", events);
    await check("large", large);
    await check("doctor", () =>
      surveyPoller(["doctor", "--stack", STACK]).then((said) => said.trim().split("\n").at(-1)),
    );
    if (isEmulator) skip("alarm", "an emulator evaluates no alarms");
    else await check("alarm", alarm);
  }
  await listener?.stop();
  if (flags.keep === true) skip("destroy", "kept: npm run smoke -- --clean removes it");
  else await check("destroy", destroy);
}
rmSync(folder, { recursive: true, force: true });
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
// At once: the service on loopback would go on.
process.exit(isInterrupted ? 130 : totals.failed === 0 ? 0 : 1);

/** Makes the check and prints its line. Once interrupted, only removing goes on. */
async function check(name: string, run: () => Promise<string | undefined>): Promise<void> {
  if (isInterrupted && run !== destroy) return skip(name, "interrupted");
  const began = Date.now();
  try {
    const shown = await run();
    totals.passed += 1;
    console.log(`${name}: ok: ${shown} (${seconds(began)})`);
  } catch (error) {
    if (isInterrupted && run !== destroy) return skip(name, "interrupted");
    totals.failed += 1;
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)} (${seconds(began)})`);
  }
}

function skip(name: string, why: string): void {
  totals.skipped += 1;
  console.log(`${name}: skipped: ${why}`);
}

function seconds(began: number): string {
  return `${Math.round((Date.now() - began) / 1000)} s`;
}

/** @throws Error when there is nothing within the time */
async function until<T>(what: string, minutes: number, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + minutes * MINUTE; ; await pause(EVERY)) {
    if (isInterrupted) throw new Error("interrupted");
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what} did not come within ${minutes} minutes`);
  }
}

function writeConfig(baseUrl: string): void {
  // A new account has ten executions at once, and the service is a function too.
  const source = { baseUrl, startFrom: "beginning", timeZone: "UTC", advanced: { concurrency: 2 } };
  writeFileSync(config, JSON.stringify({ sources: [source], bus: { name: BUS } }));
}

async function deploy(): Promise<string> {
  const deployed = async (stack: string, args: readonly string[]): Promise<Record<string, string>> => {
    const file = join(folder, `${stack}.json`);
    const env = { SMOKE_SERVICE: JSON.stringify(service) };
    await cdk(["deploy", "--require-approval", "never", "--outputs-file", file, ...args], env);
    return (JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string>>)[stack] ?? {};
  };
  const { Url = "" } = await deployed(SERVICE_STACK, serviceApp);
  url = isEmulator ? await serveOnLoopback(service) : Url.replace(/\/$/, "");
  writeConfig(url);
  outputs = await deployed(STACK, pollerApp);
  return `${STACK}, which polls ${url}`;
}

/** What the schedule polls comes to a listener, and so does what the command sends. */
async function events(): Promise<string> {
  listener = await tail(STACK);
  const { clientId, clientSecret } = service;
  // Only now: the listener is to hear every event.
  await surveyPoller(["credentials", "--stack", STACK, "--base-url", url, "--yes"], {
    SURVEY_CLIENT_ID: clientId,
    SURVEY_CLIENT_SECRET: clientSecret,
  });
  const sent = JSON.parse(await surveyPoller(["trigger", "detractor", "--stack", STACK, "--yes", "--json"]));
  await until("the event of trigger", 3, () => heard(({ detail }) => detail.meta.eventId === sent.eventId).at(0));
  const responses = (): Heard[] => heard(({ detail }) => detail.meta.eventId !== sent.eventId);
  await until("the history and a new response", 5, () => {
    const ids = new Set(responses().map(({ detail }) => detail.data.responseId ?? 0));
    // With the large one.
    return ids.size > HISTORY + 1 && [...ids].some(isNews) ? ids : undefined;
  });
  const deliveries = Map.groupBy(responses(), ({ detail }) => detail.meta.eventId);
  const twice = [...deliveries.values()].filter((same) => new Set(same.map(({ id }) => id)).size > 1);
  assert.equal(twice.length, 0, `${twice.length} events were published twice`);
  return `${deliveries.size} responses, nobody having invoked the function, and an event of the command`;
}

function heard(which: (event: Heard) => boolean): Heard[] {
  return (listener?.events ?? []).filter((event) => event["detail-type"] === "response.completed" && which(event));
}

async function large(): Promise<string> {
  const { responseId, records, commentBytes } = LARGE;
  const event = await until("the large response", 3, () =>
    heard(({ detail }) => detail.data.responseId === responseId).at(0),
  );
  const { answers, answersRef } = event.detail.data;
  assert.deepEqual(answers, [], "its answers stand in the event");
  assert.ok(answersRef, "it has no reference to its answers");
  const file = join(folder, "answers.json");
  await aws(["s3api", "get-object", "--bucket", answersRef.bucket, "--key", answersRef.key, file]);
  const read = JSON.parse(readFileSync(file, "utf8")) as { comment: string }[];
  const bytes = read.reduce((sum, { comment }) => sum + Buffer.byteLength(comment), 0);
  assert.deepEqual([read.length, bytes], [records, records * commentBytes], "answers and bytes of comments");
  return `${read.length} answers with ${bytes} bytes of comments lay in the bucket`;
}

/** A message in the dead-letter queue raises its alarm. A queue that has just been made has no metrics for up to a quarter of an hour. */
async function alarm(): Promise<string> {
  const queue = outputs.DeadLetterQueueUrl ?? "";
  await aws(["sqs", "send-message", "--queue-url", queue, "--message-body", "smoke: raises the alarm"]);
  const name = queue.split("/").at(-1);
  const raised = await until("the alarm on the dead-letter queue", 20, async () => {
    const asked = ["cloudwatch", "describe-alarms", "--state-value", "ALARM", "--alarm-name-prefix", STACK];
    const { MetricAlarms = [] } = (await aws(asked)) as { MetricAlarms?: Alarm[] };
    return MetricAlarms.find(({ Dimensions }) => Dimensions.some(({ Value }) => Value === name));
  });
  return `${raised.AlarmName} is raised, and tells ${raised.AlarmActions.length} topic`;
}

interface Alarm {
  AlarmName: string;
  AlarmActions: string[];
  Dimensions: { Value: string }[];
}

async function removeAll(): Promise<string> {
  await cdk(["destroy", "--force", ...pollerApp]);
  await cdk(["destroy", "--force", ...serviceApp]);
  return `no ${STACK} and no ${SERVICE_STACK}`;
}

/** Both stacks go, and what the poller's stack holds. */
async function destroy(): Promise<string> {
  const removed = await removeAll();
  if (isEmulator) return removed;
  const { BusName = BUS, TableName, ClaimCheckBucketName, CredentialsSecretName } = outputs;
  const gone: [what: string, name: string | undefined, ask: string[]][] = [
    ["bus", BusName, ["events", "describe-event-bus", "--name"]],
    ["table", TableName, ["dynamodb", "describe-table", "--table-name"]],
    ["bucket", ClaimCheckBucketName, ["s3api", "get-bucket-location", "--bucket"]],
    ["secret", CredentialsSecretName, ["secretsmanager", "get-secret-value", "--secret-id"]],
  ];
  for (const [what, name, ask] of gone) {
    if (name === undefined) continue;
    const missing = /NotFound|NoSuch|not exist|marked for deletion/;
    await assert.rejects(aws([...ask, name]), missing, `the ${what} ${name} is still there`);
  }
  return "the stacks, bus, table, bucket and secrets are gone";
}
