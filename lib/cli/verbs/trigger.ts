import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { v5 } from "uuid";
import type { Config, SourceConfig } from "../../config/index.ts";
import { booksSums, type DetailOf } from "../../events/index.ts";
import type { OutgoingEvent } from "../../polling/index.ts";
import { createEventBridgePublisher } from "../../publisher/event-bridge.ts";
import type { TestAnswer, TestDelivery } from "../../webhooks/test-delivery.ts";
import { CommandError, EXIT, exitOf, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { type GoldenEvent, readGolden } from "../package.ts";
import { askingAws, awsFailure } from "../target/aws-failure.ts";
import { openTarget } from "../target/open-target.ts";
import { oneSource, type Target } from "../target/target.ts";
import { type Answer, targetVerb, type Verb, yesOption } from "../verb.ts";
import { answerText } from "./listen.ts";

/** Golden events that can be sent, by the word for what is particular about them: the file in contract/golden, and what it is. */
export const KINDS = {
  promoter: ["ordinary", "a promoter without a comment"],
  detractor: ["detractor", "a detractor"],
  comment: ["comment", "with a comment"],
  large: ["large", "its answers lie in the bucket"],
  incomplete: ["incomplete", "without metrics, metadata and questions"],
  irregular: ["irregular", "with fields that are not as documented"],
  matrix: ["matrix", "with a matrix, whose answers have no labels"],
  other: ["other", "with answers beside the choices"],
  "extra-field": ["extra-field", "with fields that the API document does not have"],
  "ambiguous-date": ["ambiguous-date", "completed while a clock was set back"],
  minimal: ["minimal", "all that can be null or empty is"],
  "unknown-future-field": ["unknown-future-field", "with what a later version may add"],
  test: ["test", "a promoter, as the contract's own test event"],
  updated: ["updated", "the promoter with another answer"],
  deleted: ["deleted", "the promoter is listed no more"],
  books: ["books-closed", "closed books over the promoter and the detractor"],
  "survey-changed": ["survey-changed", "the survey was edited"],
  "survey-counted": ["survey-counted", "the counts of the survey have changed"],
} as const satisfies Record<string, readonly [golden: string, about: string]>;

export type Kind = keyof typeof KINDS;
export const kinds = Object.keys(KINDS) as Kind[];

const HELP = `
Kinds: ${kinds.slice(0, 8).join(", ")},
       ${kinds.slice(8, 14).join(", ")},
       ${kinds.slice(14).join(", ")}

A test event goes to every subscriber whose rule it matches. meta.test is true, meta.sourceName "(test)". Its
ids are of no real event and the same each time: who has seen it passes over it.
With --webhook the deployed forwarder posts it once, to that endpoint alone, by its own code,
secret, network and time limit. Exit code 1: the endpoint did not take it, or there is nothing to sign with.

Examples:
  survey-poller trigger large --yes
  survey-poller trigger --webhook crm --stack SurveyPoller --yes`;

export const triggerVerb: Verb = (act) =>
  targetVerb("trigger", "sends a made-up event as a test event", HELP)
    .argument("[kind]", "what it is about; with --webhook promoter without it")
    .option("--webhook <name>", "only to this webhook, and shows how it is answered")
    .option("--source <name>", "as this source sends it, where there are several")
    .addOption(yesOption())
    .action((word, { webhook, ...options }) =>
      act(options, async (io) => {
        const kind = kindOf(word ?? (webhook === undefined ? undefined : "promoter"));
        await using target = await openTarget(options, io);
        const source = await oneSource(target, options.source);
        const sending = { kind, source, dryRun: options.yes !== true };
        return webhook === undefined ? await sendToAll(target, io, sending) : await post(target, io, sending, webhook);
      }),
    );

interface Sending {
  kind: Kind;
  source: SourceConfig;
  /** Nothing is sent, and nothing put into the bucket. */
  dryRun: boolean;
}

/** The output of `trigger --json`, beside `schemaVersion`. */
export type TriggerAnswer = Awaited<ReturnType<typeof sendToAll>>["data"];

async function sendToAll(target: Target, io: Io, sending: Sending) {
  const { kind, source, dryRun } = sending;
  const event = testEvent(kind);
  const { type } = event;
  const { eventId } = event.detail.meta;
  const bus = target.resources.busName;
  const { publisher, sealed, detail } = await seal(target, event, sending);
  const [outcome] = dryRun ? [] : await publisher.publish([sealed], async () => undefined);
  if (!dryRun && outcome?.kind !== "published") {
    const name = (outcome?.code ?? "UNKNOWN").replace(/^request:/, "");
    const failure = awsFailure("the event could not be sent", Object.assign(new Error(name), { name }));
    const isOfAws = failure instanceof CommandError && failure.code !== "AWS_FAILED";
    throw isOfAws ? failure : new CommandError("NOT_SENT", `the event was not sent (${name})`, { hint: "Try again." });
  }
  const { events } = await target.config();
  const isOff = Object.entries(events).some(([name, isOn]) => name === type && !isOn);
  if (isOff) io.say(`The configuration has ${type} switched off: only tests bring such events.`);
  if (!dryRun && target.data?.isRunning === false) io.say("No run is at work: only queues that rules lead to get it.");
  const data = { dryRun, kind, eventId, bus, source: source.eventSource, type, detail };
  const sent = [`Sent ${type} (${kind}), event id ${eventId}, to the bus ${bus}.`];
  const shown = JSON.stringify({ "detail-type": type, source: source.eventSource, detail }, null, 2);
  const text = dryRun ? [`To the bus ${bus}, event id ${eventId}:`, ...shown.split("\n")] : sent;
  return { data, text, isDry: dryRun };
}

async function post(target: Target, io: Io, sending: Sending, name: string): Promise<Answer> {
  const { kind, dryRun } = sending;
  const { stack, webhook, functionName } = findWebhook(target, await target.config(), name);
  // A consumer passes over an event whose id it has seen.
  const event = testEvent(kind, randomUUID());
  const { detail } = await seal(target, event, sending);
  // As EventBridge would deliver it, without the bus having seen it.
  const [, , , region = "", account = ""] = (stack.outputs.BusArn ?? "").split(":");
  const time = new Date(event.time).toISOString().replace(/\.\d+Z$/, "Z");
  const envelope = {
    ...{ version: "0", id: randomUUID(), "detail-type": event.type, source: sending.source.eventSource },
    ...{ account, time, region, resources: [], detail },
  };
  const input: TestDelivery = { testDelivery: { body: JSON.stringify(envelope) } };
  const answer = dryRun ? { delivery: null } : ((await stack.call(functionName, "the forwarder", input)) as TestAnswer);
  if ("error" in answer) {
    const { code, message, hint } = answer.error;
    throw new CommandError(code, message, { hint }, exitOf(code));
  }
  const { delivery } = answer;
  const { origin, pathname } = new URL(webhook.url);
  const about = { kind, type: event.type, eventId: event.detail.meta.eventId };
  // Of the endpoint without its query, which may hold a key.
  const data = { dryRun, webhook: name, endpoint: `${origin}${pathname}`, ...about, delivery };
  const isTaken = delivery === null || delivery.outcome === "taken";
  const what = `${event.type} (${kind}), event id ${about.eventId}`;
  const text =
    delivery === null
      ? [`To webhook ${name} at ${data.endpoint}: ${what}.`]
      : [
          `Posted ${what}, to webhook ${name} at ${data.endpoint}.`,
          `${answerText(delivery, io)}. ${NOTES[delivery.outcome]}`,
          ...(delivery.firstLine == null ? [] : [`It says: ${delivery.firstLine}`]),
        ];
  return { data, text, exit: isTaken ? EXIT.done : EXIT.failed, isDry: dryRun };
}

function kindOf(word: string | undefined): Kind {
  const kind = kinds.find((one) => one === word);
  if (kind !== undefined) return kind;
  const hint = `Kinds: ${kinds.map((one) => `${one} (${KINDS[one][1]})`).join(", ")}.`;
  const message = word === undefined ? "the kind of event is missing" : "there is no such kind of event";
  throw new UsageError(message, { hint });
}

/** Bytes above which answers go to the bucket, however high the configuration's own limit is: the large event must be one. */
const LIMIT = 204_800;

/** Makes an event ready for the bus, by the publisher of the function. In a dry run its large answers go into no bucket. */
async function seal(target: Target, event: OutgoingEvent, { source, dryRun }: Sending) {
  const { busName: bus, claimCheckBucket: bucket } = target.resources;
  const publisher = createEventBridgePublisher({
    client: target.clients.events,
    bus,
    eventSource: source.eventSource,
    bucket,
    putObject: dryRun ? async () => undefined : target.bucket.putJson,
    inlineLimit: Math.min(LIMIT, source.inlineLimit),
    sleep,
  });
  const sealed = await askingAws("the answers could not be put into the bucket", () => publisher.seal(event));
  return { publisher, sealed, detail: JSON.parse(sealed.json) as Record<string, unknown> };
}

/** No source has a name with brackets: so nobody takes a test event for one of a response that has the same ids. */
const SOURCE_NAME = "(test)";
/** Event ids of another namespace than that of real ones. */
const NAMESPACE = v5("https://survey-poller/test-events", v5.URL);
const IDS = ["eventId", "replaces", "previous", "lastEventId"];
/** So often is the comment of the large event said: some 400 KB. */
const SENTENCES = 20_000;

/**
 * A golden event as a test event: marked, and with ids that no real event has. They are the same each time, and those of one event in another: an
 * update names what it replaces, and the books add up.
 *
 * @param salt makes other ids of them
 */
export function testEvent(kind: Kind, salt = ""): OutgoingEvent {
  const [name] = KINDS[kind];
  const { "detail-type": type, detail } = marked(name === "large" ? large() : readGolden(name), salt);
  if (type === "books.closed") {
    // Of the two responses that the books count: the promoter, updated since, and the detractor.
    const sums = booksSums();
    for (const one of ["updated", "detractor"]) sums.add(testId(readGolden(one).detail.meta.eventId, salt));
    Object.assign(detail.data, sums.sums());
  }
  return { type, detail, time: Date.now() } as unknown as OutgoingEvent;
}

function marked({ detail, ...envelope }: GoldenEvent, salt: string): GoldenEvent {
  const withTestIds = <Fields extends object>(fields: Fields): Fields => {
    const ids = Object.entries(fields).filter(([name, value]) => IDS.includes(name) && typeof value === "string");
    return { ...fields, ...Object.fromEntries(ids.map(([name, id]) => [name, testId(id, salt)])) };
  };
  const meta = { ...withTestIds(detail.meta), sourceName: SOURCE_NAME, test: true };
  return { ...envelope, detail: { ...detail, meta, data: withTestIds(detail.data) } };
}

function testId(eventId: string, salt: string): string {
  return v5(`${eventId}${salt}`, NAMESPACE);
}

/** An event of which the golden one has a reference in place of its answers: here they are again, for the publisher to put away. */
function large(): GoldenEvent {
  const event = readGolden("large");
  const { answers } = readGolden("comment").detail.data as DetailOf<"response.completed">["data"];
  const repeated = answers.map((answer) => ({ ...answer, comment: `${answer.comment} `.repeat(SENTENCES).trim() }));
  return { ...event, detail: { ...event.detail, data: { ...event.detail.data, answers: repeated, answersRef: null } } };
}

/** A webhook of a stack, and the function that delivers to it. */
function findWebhook({ name: poller, stack }: Target, { webhooks }: Config, name: string) {
  if (stack === undefined) {
    throw new UsageError("webhooks are there in a deployed stack only", {
      hint: "Give --stack NAME. On this machine `survey-poller listen --forward-to` posts events by the same code.",
    });
  }
  const webhook = webhooks.find((one) => one.name === name);
  if (webhook === undefined) {
    const names = webhooks.map((one) => one.name).join(", ");
    const hint = names === "" ? "Its configuration has no webhooks." : `Its webhooks: ${names}.`;
    throw new UsageError(`there is no webhook of that name in ${poller}`, { hint });
  }
  const functionName = stack.outputs[`ForwardFunctionName${name.replaceAll(/[^A-Za-z0-9]/g, "")}`];
  if (functionName !== undefined) return { stack, webhook, functionName };
  const hint = "Deploy the version that this command is of.";
  throw new CommandError("OLD_FUNCTION", `the stack has no output that names the forwarder of ${name}`, { hint });
}

const NOTES = {
  taken: "The endpoint has taken it.",
  retried: "An event would be tried again.",
  "given-up": "An event would be given up: to the dead-letter queue.",
} as const;
