import { type Random, randomStream } from "./engine/random.ts";
import { createScheduler, type Scheduler } from "./engine/scheduler.ts";
import { type Plan, START } from "./plan/plan.ts";
import type { SimResponse, SimSurvey } from "./service/survey-model.ts";

/** What all parts of one history share. */
export interface World {
  plan: Plan;
  scheduler: Scheduler;
  surveys: Map<number, SimSurvey>;
  responses: Map<number, SimResponse>;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Epoch milliseconds from which nothing changes or fails any more. */
  quietFrom: number;
  /** Whether a run has come to its deadline, or was ended by the platform: what it was about to do comes a tick later or more. */
  overran: boolean;
  random(name: string): Random;
  /** Notes that an ingredient has happened. */
  meet(ingredient: string): void;
  /** Present only when somebody reads it. */
  trace: ((line: () => string) => void) | undefined;
}

export function createWorld(plan: Plan, trace: ((line: string) => void) | undefined): World {
  const scheduler = createScheduler(START);
  return {
    plan,
    scheduler,
    surveys: new Map(),
    responses: new Map(),
    startedAt: START,
    quietFrom: START + plan.ticks * plan.source.interval,
    overran: false,
    random: (name) => randomStream(plan.seed, name),
    meet: (ingredient) => plan.met.add(ingredient),
    trace:
      trace === undefined
        ? undefined
        : (line) => {
            const at = ((scheduler.now() - START) / 1000).toFixed(3).padStart(11);
            trace(`${at}s  ${line()}`);
          },
  };
}
