import { type Random, randomStream } from "./engine/random.ts";
import { createScheduler, type Scheduler } from "./engine/scheduler.ts";
import { type Plan, START } from "./plan/plan.ts";
import type { SimResponse, SimSurvey } from "./service/survey-model.ts";
import type { RareState } from "./sometimes/registry.ts";

/**
 * A history has two phases. In the safety phase the service changes and everything fails that may fail: nothing wrong may come of it.
 * In the liveness phase nothing changes and nothing fails any more: everything must come to rest.
 */
export type Phase = "safety" | "liveness";

/** What all parts of one history share. */
export interface World {
  plan: Plan;
  scheduler: Scheduler;
  surveys: Map<number, SimSurvey>;
  responses: Map<number, SimResponse>;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Epoch milliseconds at which the liveness phase begins. */
  livenessFrom: number;
  phase(): Phase;
  /** Epoch milliseconds since which the poller takes contents from the single read; Infinity: it does not. */
  scatteredAt: number;
  /** Whether a run has come to its deadline, or was ended by the platform: what it was about to do comes a tick later or more. */
  overran: boolean;
  random(name: string): Random;
  /** Notes that an ingredient has happened. */
  meet(ingredient: string): void;
  /** Notes that a rare state was met. */
  sometimes(state: RareState): void;
  rareStates: ReadonlySet<RareState>;
  /** Present only when somebody reads it. */
  trace: ((line: () => string) => void) | undefined;
}

export function createWorld(plan: Plan, trace: ((line: string) => void) | undefined): World {
  const scheduler = createScheduler(START);
  const rareStates = new Set<RareState>();
  const livenessFrom = START + plan.ticks * plan.source.interval;
  return {
    plan,
    scheduler,
    surveys: new Map(),
    responses: new Map(),
    startedAt: START,
    livenessFrom,
    phase: () => (scheduler.now() < livenessFrom ? "safety" : "liveness"),
    scatteredAt: Infinity,
    overran: false,
    random: (name) => randomStream(plan.seed, name),
    meet: (ingredient) => plan.met.add(ingredient),
    sometimes: (state) => void rareStates.add(state),
    rareStates,
    trace:
      trace === undefined
        ? undefined
        : (line) => {
            const at = ((scheduler.now() - START) / 1000).toFixed(3).padStart(11);
            trace(`${at}s  ${line()}`);
          },
  };
}
