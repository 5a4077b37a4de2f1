import { randomUUID } from "node:crypto";
import { EXIT, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { envelopeOf, type Sending, send } from "./send.ts";
import { KINDS, type Kind, kinds, testEvent } from "./test-event.ts";
import { deliver, findWebhook, type WebhookAnswer, webhookText } from "./webhook.ts";

/** The output of `trigger --json`, beside `schemaVersion`. */
export interface TriggerAnswer {
  dryRun: boolean;
  kind: Kind;
  eventId: string;
  bus: string;
  /** `source` of the envelope, which the rules of subscribers look at. */
  source: string;
  type: string;
  /** As it is, or would be, sent. */
  detail: Record<string, unknown>;
}

const ABOUT = `
Kinds: ${kinds.slice(0, 8).join(", ")},
       ${kinds.slice(8, 14).join(", ")},
       ${kinds.slice(14).join(", ")}

A test event goes to every subscriber whose rule it matches. meta.test is true, meta.sourceName "(test)". Its
ids are of no real event and the same each time: who has seen it passes over it, unless it has --new-ids.
With --webhook the deployed forwarder posts it once, to that endpoint alone, by its own code,
secret, network and time limit. Exit code 1: the endpoint did not take it, or there is nothing to sign with.
`;

export const triggerVerb: Verb = (act) =>
  targetVerb("trigger", "sends a made-up event as a test event")
    .argument("[kind]", "what it is about; with --webhook promoter without it")
    .option("--webhook <name>", "only to this webhook, and shows how it is answered")
    .option("--source <name>", "as this source sends it, where there are several")
    .option("--new-ids", "with ids that nobody has seen, as always with --webhook")
    .addOption(yesOption())
    .addHelpText("after", ABOUT + examples("trigger large --yes", "trigger --webhook crm --stack SurveyPoller --yes"))
    .action((word, { webhook, ...options }) =>
      act(options, async (io) => {
        const kind = kindOf(word ?? (webhook === undefined ? undefined : "promoter"));
        await using target = await openTarget(options, io);
        const sending = { source: await oneSource(target, options.source), dryRun: options.yes !== true };
        if (webhook !== undefined) return await post(target, io, { ...sending, kind, webhook });
        return await sendToAll(target, io, { ...sending, kind, salt: options.newIds === true ? randomUUID() : "" });
      }),
    );

async function sendToAll(
  target: Target,
  io: Io,
  { kind, salt, ...sending }: Sending & { kind: Kind; salt: string },
): Promise<Answer<TriggerAnswer>> {
  const { source, dryRun } = sending;
  const { events } = await target.config();
  const event = testEvent(kind, salt);
  const detail = await send(target, event, sending);
  const eventId = event.detail.meta.eventId;
  const { type } = event;
  const bus = target.resources.busName;
  const isOff = Object.entries(events).some(([name, isOn]) => name === type && !isOn);
  if (isOff) io.say(`The configuration has ${type} switched off: only tests bring such events.`);
  if (dryRun) io.say(DRY_RUN);
  else if (target.data?.isRunning === false) io.say("No run is at work: only queues that rules lead to get it.");
  const data = { dryRun, kind, eventId, bus, source: source.eventSource, type, detail };
  if (!dryRun) return { data, text: [`Sent ${type} (${kind}), event id ${eventId}, to the bus ${bus}.`] };
  const shown = JSON.stringify({ "detail-type": type, source: source.eventSource, detail }, null, 2);
  return { data, text: [`To the bus ${bus}, event id ${eventId}:`, ...shown.split("\n")] };
}

async function post(
  target: Target,
  io: Io,
  { kind, webhook: name, ...sending }: Sending & { kind: Kind; webhook: string },
): Promise<Answer<WebhookAnswer>> {
  const { webhook, functionName } = await findWebhook(target, name);
  // A consumer passes over an event whose id it has seen.
  const event = testEvent(kind, randomUUID());
  const body = JSON.stringify(await envelopeOf(target, event, sending));
  const { dryRun } = sending;
  if (dryRun) io.say(DRY_RUN);
  const { origin, pathname } = new URL(webhook.url);
  const about = { kind, type: event.type, eventId: event.detail.meta.eventId };
  const delivery = dryRun ? null : await deliver(functionName, body, io);
  const data = { dryRun, webhook: name, endpoint: `${origin}${pathname}`, ...about, delivery };
  const isTaken = delivery === null || delivery.outcome === "taken";
  return { data, text: webhookText(data, io), exit: isTaken ? EXIT.done : EXIT.failed };
}

function kindOf(word: string | undefined): Kind {
  const kind = kinds.find((one) => one === word);
  if (kind !== undefined) return kind;
  const list = kinds.map((one) => `${one} (${KINDS[one][1]})`).join(", ");
  throw new UsageError(word === undefined ? "the kind of event is missing" : "there is no such kind of event", {
    hint: `Kinds: ${list}.`,
  });
}
