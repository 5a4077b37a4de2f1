import type { Settings } from "./settings.ts";
import type { Counts, Survey } from "./survey.ts";

/** The status of an answer and, when it is 200, what its JSON says; or no answer at all. */
export type Answer = { status: number; body?: unknown } | "hang";

/** The state from which the operations answer. */
export interface OperationContext {
  surveys: ReadonlyMap<number, Survey>;
  settings: () => Settings;
  counts: Counts;
  hooks: PageHooks;
  /** Told how many records an answer is built of. */
  built: (records: number) => void;
  /** Fractions in [0, 1) from the simulator's seed: what one answer is mixed up with. */
  random: () => number;
}

/** Called at the `nth` page read of a survey (from 1); `order` is null when the request names none. */
export type PageHook = (surveyId: number, page: number, order: "asc" | "desc" | null, nth: number) => void;

/** Hooks around page reads: what they change is seen by this read (before) or only by the next one (after); `lists` at each survey list. */
export interface PageHooks {
  before: Set<PageHook>;
  after: Set<PageHook>;
  reads: Map<number, number>;
  lists: Set<() => void>;
}
