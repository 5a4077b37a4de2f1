import { createStore } from "../support/state-store.ts";
import { outsidePromises } from "./engine/microtasks.ts";
import { createOracle } from "./oracle/oracle.ts";
import type { Violation } from "./oracle/violations.ts";
import { type Cuts, noCuts } from "./plan/chooser.ts";
import { pagesOf, planHistory } from "./plan/plan.ts";
import { createWeather } from "./ports/weather.ts";
import { bringToLife } from "./service/life.ts";
import type { RareState } from "./sometimes/registry.ts";
import { startWorkers } from "./workers.ts";
import { createWorld, type World } from "./world.ts";

/** What one history came to. */
export interface Outcome {
  seed: number;
  violations: Violation[];
  /** Ingredients that happened. */
  met: string[];
  /** Rare states that it was in. */
  sometimes: RareState[];
  records: number;
  surveys: number;
  surveyIds: number[];
  ticks: number;
  requests: number;
  events: number;
  steps: number;
}

/** Rule of a history that does not come to its end. */
export const ENDLESS = "endless";

export interface HistoryOptions {
  cuts?: Cuts;
  /** Called with each line of the trace, as it happens. */
  trace?: (line: string) => void;
}

/** Of a history that never comes to its end: the poller does the same again and again. */
export function endless(seed: number, told: string): Outcome {
  return {
    seed,
    violations: [{ rule: ENDLESS, told, at: 0 }],
    met: [],
    sometimes: [],
    records: 0,
    surveys: 0,
    surveyIds: [],
    ticks: 0,
    requests: 0,
    events: 0,
    steps: 0,
  };
}

/** Runs the history of a seed: fully determined by the seed and the cuts. */
export function runHistory(seed: number, options: HistoryOptions = {}): Promise<Outcome> {
  return outsidePromises(() => run(seed, options));
}

function run(seed: number, { cuts = noCuts, trace }: HistoryOptions): Outcome {
  const plan = planHistory(seed, cuts);
  const world = createWorld(plan, trace);
  const lag = world.random("index");
  const lags = plan.indexLag;
  const store = createStore(world.scheduler.now, {
    shownUntil: () => (lags === 0 ? Infinity : world.scheduler.now() - lag.below(lags)),
    showsOld: () => world.sometimes("the index shows what is no longer so"),
  });
  const oracle = createOracle(world, store);
  const weather = createWeather(world, (until) => {
    store.account.pausedUntil = Math.max(until, store.account.pausedUntil ?? 0);
  });
  const life = bringToLife(world);
  const workers = startWorkers(
    world,
    { store, weather, life, oracle },
    {
      mostTicks: plan.ticks + mostLivenessTicks(world),
      isDone: (ticks) => ticks >= plan.ticks + leastLivenessTicks(world) && oracle.unfinished() === undefined,
    },
  );
  world.scheduler.run();
  oracle.atEnd();
  let events = 0;
  for (const list of oracle.deliveries.all()) events += list.length;
  let records = 0;
  for (const response of world.responses.values()) records += response.answers;
  return {
    seed,
    violations: oracle.violations.list,
    met: [...plan.met],
    sometimes: [...world.rareStates],
    records,
    surveys: world.surveys.size,
    surveyIds: [...world.surveys.keys()],
    ticks: workers.ticks(),
    requests: oracle.requests.total(),
    events,
    steps: world.scheduler.steps(),
  };
}

/** Ticks of the liveness phase even of what has come to rest before, where the background budget is what is looked at. */
function leastLivenessTicks({ plan }: World): number {
  return plan.tight ? 60 : 0;
}

/** Ticks of the liveness phase in which everything must have come to rest: two passes over all surveys, three more that fail behind the end of a list, and what waits given up. */
function mostLivenessTicks({ plan }: World): number {
  const { source } = plan;
  const pages = plan.surveys.reduce((sum, survey) => sum + pagesOf(survey), 0) + 4 * plan.surveys.length;
  const passes = plan.surveys.some(({ traits }) => traits.pastEnd === "fault") ? 5 : 2;
  const requests = passes * 3 * pages;
  const time = passes * source.rescan.full + 2 * source.enrichmentPatience;
  return Math.ceil(time / source.interval + requests / source.backgroundRequests + 60);
}
