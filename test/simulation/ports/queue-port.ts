import type { Slices } from "../../../lib/polling/ports.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { World } from "../world.ts";
import type { Weather } from "./weather.ts";

export interface Slice {
  surveyId: number;
  until: number;
  number: number;
}

/** Milliseconds until a message arrives, mostly; and what a late one may take, beyond any use. */
const SOON = 2_000;
const LATE = 20 * 60_000;

/** The work queue as one process of the poller meets it; `arrives` is called for each delivery of a message. */
export function queuePort(
  world: World,
  process: WorkerProcess,
  weather: Weather,
  arrives: (slice: Slice) => void,
): Slices {
  const random = world.random(`queue ${process.name}`);
  const { scheduler } = world;
  return {
    send: (slice) =>
      process.call("queue", "send", () => {
        world.trace?.(() => `${process.name} queues a slice of ${slice.surveyId}`);
        if (weather.happens("queue:loses")) return;
        const times = weather.happens("queue:twice") ? 2 : 1;
        for (let i = 0; i < times; i += 1) {
          const delay = random.below(weather.happens("queue:late") ? LATE : SOON);
          scheduler.at(scheduler.now() + delay, () => arrives(slice));
        }
      }),
  };
}
