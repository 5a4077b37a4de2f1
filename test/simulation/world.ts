import { randomStream } from "./engine/random.ts";
import { createScheduler } from "./engine/scheduler.ts";
import { type Plan, START } from "./plan/plan.ts";
import type { SimResponse, SimSurvey } from "./service/survey-model.ts";
import type { RareState } from "./sometimes/registry.ts";

/** A promise of the design that a history broke. */
export interface Violation {
  /** Short name of the promise: a shrunk history breaks the same one. */
  rule: string;
  told: string;
}

/** More violations say nothing that the first ones do not. */
const MOST = 10;

export type World = ReturnType<typeof createWorld>;

/**
 * What all parts of one history share. It has two phases. In the safety phase the service changes and everything fails that may fail:
 * nothing wrong may come of it. In the liveness phase nothing changes and nothing fails any more: everything must come to rest.
 */
export function createWorld(plan: Plan, told: ((line: string) => void) | undefined) {
  const scheduler = createScheduler(START);
  const violations: Violation[] = [];
  const rareStates = new Set<RareState>();
  const livenessFrom = START + plan.ticks * plan.source.interval;
  /** Present only when somebody reads it. */
  const trace =
    told &&
    ((line: () => string): void => {
      const at = ((scheduler.now() - START) / 1000).toFixed(3).padStart(11);
      told(`${at}s  ${line()}`);
    });
  return {
    plan,
    scheduler,
    surveys: new Map<number, SimSurvey>(),
    responses: new Map<number, SimResponse>(),
    /** Epoch milliseconds at which the liveness phase begins. */
    livenessFrom,
    isLiveness: () => scheduler.now() >= livenessFrom,
    /** Epoch milliseconds since which the poller takes contents from the single read; Infinity: it does not. */
    scatteredAt: Infinity,
    /** Whether a run has come to its deadline, or was ended by the platform: what it was about to do comes a tick later or more. */
    overran: false,
    random: (name: string) => randomStream(plan.seed, name),
    /** Notes that an ingredient has happened. */
    meet: (ingredient: string) => void plan.met.add(ingredient),
    /** Notes that a rare state was met. */
    sometimes: (state: RareState) => void rareStates.add(state),
    rareStates,
    violations,
    violate(rule: string, what: string): void {
      trace?.(() => `VIOLATION ${rule}: ${what}`);
      violations.push({ rule, told: what });
      if (violations.length >= MOST) scheduler.stop();
    },
    trace,
  };
}
