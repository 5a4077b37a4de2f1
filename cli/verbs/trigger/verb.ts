import { randomUUID } from "node:crypto";
import { UsageError } from "../../flags.ts";
import { openTarget } from "../../target/open-target.ts";
import { oneSource } from "../../target/target.ts";
import { DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import type { TriggerAnswer } from "./answer.ts";
import { KINDS, type Kind, kinds } from "./kinds.ts";
import { send } from "./send.ts";
import { testEvent } from "./test-event.ts";

const ABOUT = `
Kinds: ${kinds.slice(0, 8).join(", ")},
       ${kinds.slice(8, 14).join(", ")},
       ${kinds.slice(14).join(", ")}

A test event goes to every subscriber whose rule it matches. meta.test is true, meta.sourceName "(test)". Its
ids are of no real event and the same each time: who has seen it passes over it, unless it has --new-ids.`;

export const triggerVerb: Verb = (act) =>
  targetVerb("trigger", "sends a made-up event as a test event")
    .argument("[kind]", "what it is about")
    .option("--source <name>", "as this source sends it, where there are several")
    .option("--new-ids", "with ids that nobody has seen")
    .addOption(yesOption())
    .addHelpText("after", ABOUT + examples("trigger detractor", "trigger large --stack SurveyPoller --yes"))
    .action((word, options) =>
      act(options, async (io) => {
        const kind = kindOf(word);
        await using target = await openTarget(options, io);
        const source = await oneSource(target, options.source);
        const { events } = await target.config();
        const event = testEvent(kind, options.newIds === true ? randomUUID() : "");
        const dryRun = options.yes !== true;
        const detail = await send(target, event, { source, dryRun });
        const answer = {
          dryRun,
          kind,
          eventId: event.detail.meta.eventId,
          bus: target.resources.busName,
          source: source.eventSource,
          type: event.type,
          detail: detail as TriggerAnswer["detail"],
        };
        const isOff = Object.entries(events).some(([type, isOn]) => type === event.type && !isOn);
        if (isOff) io.say(`The configuration has ${event.type} switched off: only tests bring such events.`);
        if (dryRun) io.say(DRY_RUN);
        else if (target.data?.isRunning === false) io.say("No run is at work: only queues that rules lead to get it.");
        return { data: answer, text: textOf(answer) };
      }),
    );

function kindOf(word: string | undefined): Kind {
  const kind = kinds.find((one) => one === word);
  if (kind !== undefined) return kind;
  const list = kinds.map((one) => `${one} (${KINDS[one][1]})`).join(", ");
  throw new UsageError(word === undefined ? "the kind of event is missing" : "there is no such kind of event", {
    hint: `Kinds: ${list}.`,
  });
}

function textOf({ dryRun, kind, eventId, bus, source, type, detail }: TriggerAnswer): string[] {
  if (!dryRun) return [`Sent ${type} (${kind}), event id ${eventId}, to the bus ${bus}.`];
  const event = { "detail-type": type, source, detail };
  return [`To the bus ${bus}, event id ${eventId}:`, ...JSON.stringify(event, null, 2).split("\n")];
}
