import { errorCode } from "../../../lib/errors.ts";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import type { OutgoingEvent, Publisher, PublishOutcome, SealedEvent } from "../../../lib/polling/index.ts";
import { copyOf } from "../../support/copy.ts";
import { MisuseError } from "../../support/state-store.ts";
import { mix, type Random } from "../engine/random.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { World } from "../world.ts";
import { lostAnswer, throttled, type Weather } from "./weather.ts";

const MOST_ATTEMPTS = 5;

/** The bus as one process of the poller meets it, with the retries of the publisher. */
export function publisherPort(
  world: World,
  weather: Weather,
  process: WorkerProcess,
  random: Random,
  watch: Oracle["bus"],
): Publisher {
  const made = new WeakMap<SealedEvent, OutgoingEvent>();
  const madeOf = (sealed: SealedEvent): OutgoingEvent => {
    const event = made.get(sealed);
    if (event === undefined) throw new MisuseError("an event that was not sealed");
    return event;
  };

  /** One PutEvents: codes by index, undefined is published. */
  const putEvents = async (batch: OutgoingEvent[]): Promise<(string | undefined)[]> => {
    watch.sent(process, batch);
    const answers = process.call("publisher", () => {
      world.trace?.(() => `${process.name} publishes ${batch.map(nameOf).join(", ")}`);
      if (weather.happens("bus:throttled")) throw throttled();
      const lost = weather.happens("bus:lost-answer");
      const codes = batch.map((event) => {
        if (hasContents(event) && isRefused(world, event.detail)) {
          watch.refused(event.detail);
          return "MalformedDetail";
        }
        if (weather.happens("bus:partial")) return "InternalFailure";
        watch.delivered(process, event, !lost);
        return undefined;
      });
      if (lost) throw lostAnswer();
      return codes;
    });
    try {
      return await answers;
    } catch (error) {
      return batch.map(() => `request:${errorCode(error)}`);
    }
  };

  return {
    seal(event) {
      const bytes = hasContents(event) ? bytesOf(event.detail) : 1_000;
      const sealed: SealedEvent = { type: event.type, json: "", time: event.time, bytes };
      made.set(sealed, copyOf(event));
      return Promise.resolve(sealed);
    },
    async publish(events, guard) {
      const outcomes = events.map((): PublishOutcome => ({ kind: "failed", code: "InternalFailure" }));
      let left = events.map((event, index) => ({ event: madeOf(event), index }));
      for (let attempt = 1; left.length > 0; attempt += 1) {
        try {
          await guard();
        } catch (error) {
          if (attempt === 1) throw error;
          for (const { index } of left) outcomes[index] = { kind: "failed", code: errorCode(error) };
          break;
        }
        const codes = await putEvents(left.map(({ event }) => event));
        left = left.filter(({ index }, i) => {
          const code = codes[i];
          const outcome = toOutcome(code);
          outcomes[index] = outcome;
          return outcome.kind === "failed";
        });
        if (left.length === 0 || attempt >= MOST_ATTEMPTS) break;
        await process.sleep(100 * 2 ** attempt * (0.5 + random.next() / 2));
      }
      return outcomes;
    },
  };
}

function toOutcome(code: string | undefined): PublishOutcome {
  if (code === undefined) return { kind: "published" };
  return { kind: code === "MalformedDetail" ? "refused" : "failed", code };
}

/** The bus refuses the events of some responses for good, each time; or only the repair of one. */
function isRefused(world: World, { data, meta }: ResponseCompleted): boolean {
  const chance = mix(data.responseId + meta.revision, world.plan.seed);
  if (!world.plan.faults.refusedEvents || chance % 12 > 0) return false;
  world.meet("bus:refused");
  return true;
}

/** About what its JSON holds; some are so large that a batch ends before ten. */
function bytesOf({ data }: ResponseCompleted): number {
  return data.responseId % 13 === 0 ? 190_000 : 900 + 120 * data.answers.length;
}

function nameOf(event: OutgoingEvent): string {
  if (!hasContents(event)) return `${event.detail.data.surveyId} ${event.type}`;
  const { data, meta } = event.detail;
  return `${data.surveyId}/${data.responseId}${meta.revision > 1 ? ` r${meta.revision}` : ""}`;
}

/** Whether it is an event with the contents of a response: its first one, or an update. */
export function hasContents(
  event: OutgoingEvent,
): event is Extract<OutgoingEvent, { type: "response.completed" | "response.updated" }> {
  return event.type === "response.completed" || event.type === "response.updated";
}
