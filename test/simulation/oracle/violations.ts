import type { World } from "../world.ts";

/** A promise of the design that a history broke. */
export interface Violation {
  /** Short name of the promise: a shrunk history breaks the same one. */
  rule: string;
  told: string;
  /** Epoch milliseconds. */
  at: number;
}

export interface Violations {
  list: Violation[];
  add(rule: string, told: string): void;
}

/** More of them say nothing that the first ones do not. */
const MOST = 10;

export function createViolations(world: World): Violations {
  const list: Violation[] = [];
  return {
    list,
    add(rule, told) {
      world.trace?.(() => `VIOLATION ${rule}: ${told}`);
      list.push({ rule, told, at: world.scheduler.now() });
      if (list.length >= MOST) world.scheduler.stop();
    },
  };
}
