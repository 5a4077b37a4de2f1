import type { Counts } from "./counts.ts";
import type { PageHooks } from "./page-hooks.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

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
