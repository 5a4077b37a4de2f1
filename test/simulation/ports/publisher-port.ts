import { errorCode } from "../../../lib/errors.ts";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import type { Publisher, PublishOutcome, SealedEvent } from "../../../lib/polling/ports.ts";
import { mix, type Random } from "../engine/random.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { World } from "../world.ts";
import { MisuseError } from "./misuse.ts";
import type { Weather } from "./weather.ts";

export interface BusWatch {
  /** A request goes out: the moment from which nobody can take it back. */
  sent(process: WorkerProcess, details: ResponseCompleted[]): void;
  /** The bus has an event. Given with whether the answer that says so will arrive. */
  delivered(process: WorkerProcess, detail: ResponseCompleted, answered: boolean): void;
  refused(detail: ResponseCompleted): void;
}

const MOST_ATTEMPTS = 5;

/** The bus as one process of the poller meets it, with the retries of the publisher. */
export function publisherPort(
  world: World,
  weather: Weather,
  process: WorkerProcess,
  random: Random,
  watch: BusWatch,
): Publisher {
  const details = new WeakMap<SealedEvent, ResponseCompleted>();
  const detailOf = (event: SealedEvent): ResponseCompleted => {
    const detail = details.get(event);
    if (detail === undefined) throw new MisuseError("an event that was not sealed");
    return detail;
  };

  /** One PutEvents: codes by index, undefined is published. */
  const putEvents = async (batch: ResponseCompleted[]): Promise<(string | undefined)[]> => {
    watch.sent(process, batch);
    const answers = process.call("publisher", "putEvents", () => {
      world.trace?.(() => `${process.name} publishes ${batch.map(nameOf).join(", ")}`);
      if (weather.happens("bus:throttled"))
        throw Object.assign(new Error("throttled"), { name: "ThrottlingException" });
      const lost = weather.happens("bus:lost-answer");
      const codes = batch.map((detail) => {
        if (isRefused(world, detail)) {
          watch.refused(detail);
          return "MalformedDetail";
        }
        if (weather.happens("bus:partial")) return "InternalFailure";
        watch.delivered(process, detail, !lost);
        return undefined;
      });
      if (lost) throw Object.assign(new Error("no answer in time"), { name: "TimeoutError" });
      return codes;
    });
    try {
      return await answers;
    } catch (error) {
      return batch.map(() => `request:${errorCode(error)}`);
    }
  };

  return {
    seal({ detail, time }) {
      const sealed: SealedEvent = { json: "", time, bytes: bytesOf(detail) };
      details.set(sealed, detail);
      return Promise.resolve(sealed);
    },
    async publish(events, guard) {
      const outcomes = events.map((): PublishOutcome => ({ kind: "failed", code: "InternalFailure" }));
      let left = events.map((event, index) => ({ detail: detailOf(event), index }));
      for (let attempt = 1; left.length > 0; attempt += 1) {
        try {
          await guard();
        } catch (error) {
          if (attempt === 1) throw error;
          for (const { index } of left) outcomes[index] = { kind: "failed", code: errorCode(error) };
          break;
        }
        const codes = await putEvents(left.map(({ detail }) => detail));
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

function nameOf({ data, meta }: ResponseCompleted): string {
  return `${data.surveyId}/${data.responseId}${meta.revision > 1 ? ` r${meta.revision}` : ""}`;
}
