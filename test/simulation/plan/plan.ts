import type { PollingSource } from "../../../lib/polling/index.ts";
import { randomStream } from "../engine/random.ts";
import { leastPage } from "../service/survey-model.ts";
import { type Chooser, type Cuts, createChooser, type Offers } from "./chooser.ts";
import { planFaults } from "./faults.ts";
import { planLeftOut } from "./likelihood.ts";
import { planLongList } from "./long-list.ts";
import { planSource } from "./source.ts";
import { planService, planSurvey, type SurveyPlan } from "./surveys.ts";
import { planWords } from "./words.ts";
import { planWorkers } from "./workers.ts";

/** Histories begin around here: the clocks of Europe are set forward a few hours later. */
export const START = Date.UTC(2026, 2, 28, 21, 0, 0);

/**
 * Requests a tick that all slow work needs: the bounds of the design hold only where the background budget is sufficient, and
 * on the scale of a history everything is due far more often than by default.
 */
function neededBudget(source: PollingSource, surveys: SurveyPlan[]): number {
  const { interval, rescan } = source;
  const ticks = (milliseconds: number): number => Math.max(1, milliseconds / interval);
  let needed = 0;
  for (const survey of surveys) {
    const pages = pagesOf(survey) + 1;
    const steps = Math.ceil(Math.log2(pages)) + 1;
    needed += (2 * pages + 4 * steps) / (steps * ticks(rescan.every)) + (3 * pages + 4) / ticks(rescan.full);
  }
  return Math.ceil(1.3 * needed);
}

/** Pages of a survey once all of its responses are there, about. */
export function pagesOf({ responses, traits }: SurveyPlan): number {
  const records = responses.reduce((sum, { answers }) => sum + answers, 0);
  return Math.ceil(records / (traits.shortPages ? leastPage(traits) : 60));
}

/** The wall clock of the service: local time in a zone it never names, set forward or back once. */
export interface ServiceClock {
  /** Milliseconds to add to UTC before the change, after it, and when it is (epoch milliseconds). */
  offset: number;
  offsetAfter: number;
  changesAt: number;
}

export type Plan = ReturnType<typeof planHistory>;

/** Everything about a history that chance decides beforehand. */
export function planHistory(seed: number, cuts: Cuts) {
  const met = new Set<string>();
  const offers: Offers = new Map();
  const leftOut = planLeftOut(randomStream(seed, "likelihood"), cuts.drop, met);
  const chooserOf = (name: string): Chooser => createChooser(randomStream(seed, name), leftOut, met, offers);
  const chooser = chooserOf("general");
  const { random } = chooser;
  const calm = chooser.option("weather", { faults: 2, calm: 1 }) === "calm";
  const tight = chooser.flag("tight-budget", 0.1) && calm;
  if (tight) met.add("tight-budget");
  const ticks = Math.min(random.between(18, 30), cuts.ticks);
  const source = planSource(chooser);
  source.questions = chooserOf("questions").option("questions", { full: 10, labels: 1, none: 1 });
  const long = tight ? undefined : planLongList(chooserOf("long list"), source);
  if (long !== undefined) met.add("long-list");
  const looks = chooserOf("rescan");
  // What a rescan finds is not found by a full read first.
  if (looks.flag("rare-full-read", 0.2) && calm && !tight && long === undefined) {
    met.add("rare-full-read");
    source.rescan = { every: source.interval * 5, full: source.interval * looks.random.between(60, 90) };
  }
  const drawn = Number(chooser.option("restless", { 0: 2, 0.04: 1, 0.2: 1, 0.6: 0.4 }));
  const restless = long?.restless ?? drawn;
  const service = Number(chooser.option("latency", { 40: 4, 300: 2, 1500: 0.5 }));
  const indexLag = Number(chooser.option("index-lag", { 0: 2, 3000: 1 }));
  const hours = random.between(-11, 14);
  const fold = random.pick([-2, -1, 1]);
  const changesAt = START + random.next() * source.interval * ticks;
  const folds = chooser.flag("clock-change", 0.25);
  if (folds) met.add("clock-change");
  const drawnService = planService(chooserOf("service"));
  const traits = long === undefined ? drawnService : { layout: "contiguous" as const, single: "right" as const };
  const count = random.between(3, 4);
  const fresh = random.between(1, 2);
  const createsNew = chooser.flag("new-surveys", 0.25);
  if (createsNew) met.add("new-surveys");
  let last = random.pick([0, 80, 960, 99_970, 2_147_483_500]);
  const surveys: SurveyPlan[] = [];
  for (let i = 0; i < count + (createsNew ? fresh : 0); i += 1) {
    const { interval } = source;
    const own = chooserOf(`survey ${i}`);
    const plan = planSurvey(i + 8, i >= count, {
      chooser: own,
      shapes: chooserOf(`shapes ${i}`),
      words: planWords(chooserOf(`words ${i}`), interval * ticks, interval),
      service: traits,
      interval,
      ticks,
      mostResponses: cuts.responses,
      calm,
      tight,
      isLong: long !== undefined && i === 0,
      nextId() {
        last += own.random.between(1, 3);
        return last;
      },
    });
    surveys.push(plan);
  }
  source.backgroundRequests = tight ? 1 : Math.max(source.backgroundRequests, neededBudget(source, surveys));
  const clock: ServiceClock = {
    offset: hours * 3_600_000,
    // No zone is further from UTC than these: the poller relies on it.
    offsetAfter: Math.min(14, Math.max(-12, hours + (folds ? fold : 0))) * 3_600_000,
    changesAt,
  };
  return {
    seed,
    source,
    /** A history without faults: bounds on lateness and requests hold in it. */
    calm,
    /** The background budget is far from sufficient: nothing is late by any bound then, but it must be kept to. */
    tight,
    /** Ticks during which things change. */
    ticks,
    clock,
    surveys: surveys.filter(({ id }) => !cuts.drop.has(`survey-${id}`)),
    faults: planFaults(chooserOf("weather"), calm, ticks),
    /** Milliseconds that a slice has at most. */
    turnTime: long?.turnTime ?? Infinity,
    workers: planWorkers(chooserOf("workers"), { calm, ticks }),
    /** Milliseconds: usual latency of a call, by port. */
    latency: { service, state: 8, publisher: 30, vault: 40 },
    /** Most milliseconds by which the index of what is due lags behind. */
    indexLag,
    /** How likely the service is to change between two reads. */
    restless,
    /** Ingredients chosen so far; what only may happen is added when it does. */
    met,
    offers,
  };
}
