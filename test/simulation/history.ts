import { createStore } from "../support/state-store.ts";
import { outsidePromises } from "./engine/scheduler.ts";
import { createOracle } from "./oracle/oracle.ts";
import { type Cuts, noCuts } from "./plan/chooser.ts";
import { pagesOf, planHistory } from "./plan/plan.ts";
import { createWeather } from "./ports/weather.ts";
import { bringToLife } from "./service/life.ts";
import { startWorkers } from "./workers.ts";
import { createWorld, type World } from "./world.ts";

/** Rule of a history that does not come to its end. */
export const ENDLESS = "endless";

export interface HistoryOptions {
  cuts?: Cuts;
  /** Called with each line of the trace, as it happens. */
  trace?: (line: string) => void;
}

/** What one history came to. */
export type Outcome = ReturnType<typeof run>;

/** Runs the history of a seed: fully determined by the seed and the cuts. */
export function runHistory(seed: number, options: HistoryOptions = {}): Promise<Outcome> {
  return outsidePromises(() => run(seed, options));
}

function run(seed: number, { cuts = noCuts, trace }: HistoryOptions) {
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
  const responses = [...world.responses.values()];
  return {
    seed,
    violations: world.violations,
    /** Ingredients that happened. */
    met: [...plan.met],
    /** Rare states that it was in. */
    sometimes: [...world.rareStates],
    records: responses.reduce((sum, { answers }) => sum + answers, 0),
    surveyIds: [...world.surveys.keys()],
    ticks: workers.ticks(),
    requests: oracle.requests.total(),
    events: responses.reduce((sum, { id }) => sum + oracle.deliveries.of(id).length, 0),
  };
}

/** Of a history that never comes to its end: the poller does the same again and again. */
export function endless(seed: number, told: string): Outcome {
  const nothing = { met: [], sometimes: [], records: 0, surveyIds: [], ticks: 0, requests: 0, events: 0 };
  return { seed, violations: [{ rule: ENDLESS, told }], ...nothing };
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
