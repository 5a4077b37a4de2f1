import { catchUpSlice, learnedBy, type SliceSummary, type SurveyRequest } from "../../lib/polling/index.ts";
import type { MemoryWorld } from "./memory-ports.ts";
import {
  MINUTE,
  type ResponseSpec,
  SECOND,
  sourceDefaults,
  type TickOverrides,
  takes,
  tickAlone,
  worldWith,
} from "./survey.ts";

/** A world whose reads of pages take a second each, or so many milliseconds. */
export function slowWorld(responses: ResponseSpec[], readTime: number = SECOND): MemoryWorld {
  const world = worldWith(responses);
  takes(world, readTime, ({ operation }) => operation === "page");
  return world;
}

export type SliceOverrides = Partial<Omit<SurveyRequest, "ports" | "source">> & { source?: TickOverrides["source"] };

/** A slice of a survey's catch-up, of two minutes or until `streamUntil`. */
export function slice(world: MemoryWorld, { source, ...overrides }: SliceOverrides = {}): Promise<SliceSummary> {
  const deadline = overrides.deadline ?? world.time.now + 2 * MINUTE;
  const { start = { from: "beginning", at: null } } = world.account;
  return catchUpSlice({
    ports: world.ports,
    source: { ...sourceDefaults, ...source },
    surveyId: 1,
    owner: "catch-up",
    deadline,
    streamUntil: deadline,
    start,
    listedCount: undefined,
    learned: learnedBy(world.account),
    ...overrides,
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
  minutes: number,
  { sliceTime = 20 * SECOND, between, ...more }: GoOn = {},
): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    const began = world.time.now;
    await tickAlone(world, { ownTime: 0, ...more });
    between?.();
    const streamUntil = world.time.now + sliceTime;
    await slice(world, { streamUntil, ...(more.source === undefined ? {} : { source: more.source }) });
    world.time.now = Math.max(world.time.now, began + MINUTE);
  }
}
