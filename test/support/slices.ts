import { catchUpSlice, type SliceSummary } from "../../lib/polling/survey/catch-up-slice.ts";
import type { MemoryWorld } from "./memory-ports.ts";
import {
  MINUTE,
  type ResponseSpec,
  runTick,
  SECOND,
  sourceDefaults,
  type TickOverrides,
  takes,
  worldWith,
} from "./survey.ts";

export interface Queued {
  surveyId: number;
  until: number;
  number?: number;
}

/** A world with a queue, whose reads of pages take a second each, or so many milliseconds. */
export function worldWithQueue(
  responses: ResponseSpec[],
  readTime: number = SECOND,
): { world: MemoryWorld; queue: Queued[] } {
  const world = worldWith(responses);
  const queue: Queued[] = [];
  world.ports.slices = { send: async (slice) => void queue.push(slice) };
  takes(world, readTime, ({ operation }) => operation === "page");
  return { world, queue };
}

export function slice(
  world: MemoryWorld,
  { surveyId, until, number }: Queued,
  owner = "worker",
  source: TickOverrides["source"] = {},
): Promise<SliceSummary> {
  const deadline = world.time.now + 2 * MINUTE;
  return catchUpSlice({
    ports: world.ports,
    source: { ...sourceDefaults, ...source },
    service: "service-1",
    surveyId,
    owner,
    until,
    number,
    deadline,
  });
}

export interface GoOn extends TickOverrides {
  /** Milliseconds of each slice. */
  sliceTime?: number;
  /** Called between a tick and its slice. */
  between?: () => void;
}

/** Ticks a minute apart, with a slice between two of them: whatever fails in one, the next follows. */
export async function goOn(
  world: MemoryWorld,
  queue: Queued[],
  minutes: number,
  { sliceTime = 20 * SECOND, between, ...more }: GoOn = {},
): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    const began = world.time.now;
    await runTick(world, { ownTime: 0, ...more });
    between?.();
    const next = queue.shift();
    if (next !== undefined) {
      const until = world.time.now + sliceTime;
      await slice(world, { ...next, until }, "worker", more.source).catch(() => undefined);
    }
    world.time.now = Math.max(world.time.now, began + MINUTE);
  }
}
