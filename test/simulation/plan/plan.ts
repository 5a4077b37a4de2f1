import type { PollingSource } from "../../../lib/polling/index.ts";
import { randomStream } from "../engine/random.ts";
import { leastPage } from "../service/survey-model.ts";
import { type Chooser, type Cuts, createChooser, planLeftOut } from "./chooser.ts";
import { planLongList, planService, planSurvey, planWords, type SurveyPlan } from "./surveys.ts";

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
  const leftOut = planLeftOut(randomStream(seed, "likelihood"), cuts.drop, met);
  const chooserOf = (name: string): Chooser => createChooser(randomStream(seed, name), leftOut, met);
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
  };
}

const MINUTE = 60_000;

/** The configuration of a history's source: durations keep the proportions of the defaults, on a smaller scale. */
function planSource(chooser: Chooser): PollingSource {
  const { random } = chooser;
  const interval = MINUTE * Number(chooser.option("interval", { 1: 6, 5: 2, 30: 1 }));
  const startFrom = chooser.option("start", { now: 6, beginning: 2, date: 1 });
  const every = interval * random.between(3, 8);
  return {
    name: "main",
    surveys: { all: "all" as const, exclude: { exclude: [9] }, include: { include: [8, 10, 12] } }[
      chooser.option("surveys", { all: 12, exclude: 1, include: 1 })
    ],
    // The day on which histories begin: see START.
    startFrom: startFrom === "date" ? "2026-03-28" : startFrom,
    interval,
    ...(chooser.flag("time-zone", 0.04) ? { timeZone: "Europe/Warsaw" } : {}),
    enrich: {
      metrics: chooser.option("enrich-metrics", { on: 15, off: 1 }) === "on",
      metadata: chooser.option("enrich-metadata", { on: 15, off: 1 }) === "on",
    },
    questions: "full",
    thresholds: {},
    privacy: {
      ip: chooser.option("privacy-ip", { keep: 12, truncate: 1, drop: 1 }),
      referrer: chooser.option("privacy-referrer", { keep: 12, drop: 1 }),
      comments: chooser.option("privacy-comments", { keep: 12, drop: 1 }),
    },
    enrichmentPatience: interval * random.between(2, 7),
    absentAfter: MINUTE,
    backgroundRequests: random.pick([1, 1, 1, 10]),
    concurrency: random.pick([1, 4, 16, 16, 64]),
    headPages: random.pick([1, 2, 3, 20, 20]),
    retention: { quarantine: interval * random.between(10, 200) },
    events: new Set([
      "response.completed",
      "response.updated",
      "response.deleted",
      "books.closed",
      ...(chooser.flag("survey-changed", 0.5) ? (["survey.changed"] as const) : []),
      ...(chooser.flag("survey-counted", 0.3) ? (["survey.counted"] as const) : []),
    ]),
    rescan: { every, full: interval * random.between(8, 26) * random.pick([1, 1, 3]) },
  };
}

/** Faults of single calls, each with the probability that a call meets it. */
const faultNames = [
  "service:429",
  "service:500",
  "service:reset",
  "service:timeout",
  "service:empty-page",
  "service:list-fails",
  "service:list-empty",
  "service:page-mixed",
  "service:detail-mixed",
  "service:detail-hangs",
  "state:throttled",
  "state:lost-answer",
  "state:twice",
  "bus:throttled",
  "bus:lost-answer",
  "bus:partial",
  "vault:fails",
  "vault:loses",
] as const;

export type FaultName = (typeof faultNames)[number];

/** Calls to the bus and the vault are few; and the bus is asked again and again before it is given up. */
function often(name: FaultName): number {
  if (name === "vault:loses") return 12;
  return name.startsWith("bus:") || name.startsWith("vault:") ? 6 : 1;
}

/** A time, in ticks from the beginning. */
interface Span {
  from: number;
  to: number;
}

function planFaults(chooser: Chooser, calm: boolean, ticks: number) {
  const { random } = chooser;
  const rates: Partial<Record<FaultName, number>> = {};
  for (const name of faultNames) {
    const rate = random.pick([0.01, 0.03, 0.03, 0.12]);
    if (chooser.flag(name, 0.22) && !calm) rates[name] = Math.min(0.7, rate * often(name));
  }
  const everywhere = random.chance(0.5);
  const from = random.next() * ticks;
  const windows: Span[] = everywhere
    ? [{ from: 0, to: ticks }]
    : [{ from, to: from + 2 + random.next() * ticks * 0.4 }];
  const revokedFrom = random.next() * ticks;
  const revokedTo = revokedFrom + random.next() * 4;
  const revoked = chooser.flag("token-revoked", 0.12) && !calm;
  const refused = chooser.flag("bus:refused", 0.1) && !calm;
  const outages: Partial<Record<"metrics" | "metadata", Span>> = {};
  for (const kind of ["metrics", "metadata"] as const) {
    const begins = random.next() * ticks;
    const ends = begins + 1 + random.next() * 10;
    if (chooser.flag(`outage:${kind}`, 0.1) && !calm) outages[kind] = { from: begins, to: ends };
  }
  return {
    rates,
    /** When operation 11, or 13, fails for every response. */
    outages,
    /** When faults happen; outside of these times none does. */
    windows,
    /** When every request is refused for its token. */
    tokenRevoked: revoked ? { from: revokedFrom, to: revokedTo } : undefined,
    refusedEvents: refused,
  };
}

/** What happens to one run of the poller. */
export interface RunPlan {
  /** Milliseconds after the tick's time. */
  startsAfter: number;
  /** Milliseconds from its start after which nothing new is begun. */
  deadline: number;
  /** Calls after which the process dies or stands still. */
  diesAfter?: number;
  /** Whether it dies after its first request to the bus instead: the moment at which most is at stake. */
  diesPublishing?: boolean;
  freezesAfter?: number;
  /** Milliseconds. */
  frozenFor: number;
  /** Made again under the same name a little later, as a failed invocation is. */
  retried?: boolean;
}

function planWorkers(chooser: Chooser, { calm, ticks }: { calm: boolean; ticks: number }) {
  const { random } = chooser;
  const crashes = chooser.flag("crash", 0.4) && !calm;
  const freezes = chooser.flag("freeze", 0.3) && !calm;
  const doubles = chooser.flag("two-workers", 0.3) && !calm;
  const hurried = chooser.flag("deadline", 0.25) && !calm;
  const rate = random.pick([0.05, 0.15, 0.4]);
  const deadline = Number(chooser.option("run-time", { 150000: 3, 40000: 1 }));
  const plain = (): RunPlan => {
    const [dies, calls] = [random.chance(rate), random.between(1, random.pick([10, 60, 200]))];
    const [stops, after] = [random.chance(rate), random.between(1, random.pick([20, 100]))];
    const [hurries, milliseconds] = [random.chance(rate), random.below(4_000)];
    const frozenFor = random.between(5, 120) * 1000;
    const retried = random.chance(0.3);
    const startsAfter = random.below(3_000);
    return {
      startsAfter,
      deadline: hurried && hurries ? milliseconds : deadline,
      diesAfter: crashes && dies ? calls : undefined,
      diesPublishing: crashes && dies && calls % 3 === 0,
      freezesAfter: freezes && stops ? after : undefined,
      frozenFor,
      retried: crashes && dies && retried,
    };
  };
  const runs: RunPlan[][] = [];
  for (let i = 0; i < ticks; i += 1) {
    const first = plain();
    const second = plain();
    runs.push(random.chance(rate) && doubles ? [first, second] : [first]);
  }
  return {
    /** Runs of each tick with changes: mostly one. */
    runs,
    /** Milliseconds of a usual run: longer than an interval, it works off backlogs beside the next ticks. */
    deadline,
    /** Milliseconds for which a tick catches up before it leaves the rest to slices. */
    ownTime: random.pick([0, 0, 300, 5_000]),
  };
}
