import type { PollingSource } from "../../../lib/polling/index.ts";
import type { Random } from "../engine/random.ts";
import { type OddRecord, oddRecords } from "../service/odd-records.ts";
import { mayTie, tiesResponses } from "../service/rereads.ts";
import type { Detail, Traits } from "../service/survey-model.ts";
import type { Chooser } from "./chooser.ts";

/** What is going to happen to one response. Times are milliseconds from the beginning of the history. */
export interface ResponsePlan {
  id: number;
  startsAt: number;
  /** Undefined: it stays open. */
  completesAt: number | undefined;
  answers: number;
  odd: OddRecord | undefined;
  /** Milliseconds after completion. */
  growsAfter: number | undefined;
  editedAfter: number | undefined;
  deletedAfter: number | undefined;
  metrics: Detail;
  metadata: Detail;
  single: Detail;
}

interface Flip {
  at: number;
  change: Partial<Traits>;
  name: string;
}

export interface SurveyPlan {
  id: number;
  isDeep: boolean;
  /** Milliseconds from the beginning; below 0 it was there before. */
  createdAt: number;
  /** `created` in the list is no number. */
  oddCreated: boolean;
  traits: Traits;
  words: WordsPlan;
  responses: ResponsePlan[];
  orphansAt: number[];
  flips: Flip[];
  /** When it is out of the survey list, or answers 404. */
  hidden: { from: number; to: number } | undefined;
  gone: { from: number; to: number } | undefined;
  /** While all pages from this one on fail. */
  broken: { from: number; to: number; page: number } | undefined;
}

interface SurveyPlanOptions {
  chooser: Chooser;
  interval: number;
  ticks: number;
  mostResponses: number;
  /** No faults happen in it: bounds hold. */
  calm: boolean;
  /** Its list is long, and is read in many slices. */
  isLong: boolean;
  /** The background budget is what is looked at: the counts are right. */
  tight: boolean;
  nextId: () => number;
  /** The same for all surveys of a source. */
  service: ServiceTraits;
  /** Decides in what shape the service answers. */
  shapes: Chooser;
  words: WordsPlan;
}

/** The traits that a service has for all surveys alike. */
type ServiceTraits = Pick<Traits, "layout" | "single">;

export function planService(chooser: Chooser): ServiceTraits {
  return {
    layout: chooser.option<Traits["layout"]>("layout", { contiguous: 4, interleaved: 2, scattered: 2 }),
    single: chooser.option<Traits["single"]>("operation-9", {
      right: 6,
      gone: 2,
      more: 2,
      fewer: 1.5,
      bare: 2,
      failing: 1.5,
      "not-open": 2,
    }),
  };
}

const DAY = 86_400_000;

function planTraits({ chooser, shapes, service }: SurveyPlanOptions): Traits {
  const { random } = chooser;
  const few = random.between(1, 3);
  const answers: Record<string, [number, number]> = {
    some: [few, few + random.between(1, 9)],
    one: [1, 1],
    many: [15, 45],
    huge: [60, 230],
  };
  const traits: Traits = {
    sortKey: chooser.option<Traits["sortKey"]>("key", {
      responseId: 4,
      dateStart: 3,
      dateCompleted: 4,
      hash: 1,
      reversed: 1,
    }),
    layout: service.layout,
    stableDesc: chooser.option("desc", { reversed: 1, stable: 1 }) === "stable",
    listsOpen: chooser.option("open", { unlisted: 1, listed: 1 }) === "listed",
    openDate: chooser.option<Traits["openDate"]>("open-date", { null: 1, empty: 1, zeros: 1, start: 1 }),
    pastEnd: chooser.option<Exclude<Traits["pastEnd"], "no-content">>("past-end", {
      empty: 3,
      "not-found": 1,
      "bad-request": 1,
      repeat: 1,
      fault: 1,
    }),
    shortPages: chooser.option("pages", { full: 8, short: 1 }) === "short",
    counts: chooser.option<Traits["counts"]>("counts", {
      right: 5,
      lagging: 1,
      frozen: 1,
      starts: 1,
      one: 1,
      lying: 1,
      odd: 1,
    }),
    countLag: random.between(5, 400) * 1000,
    single: service.single,
    answers: answers[chooser.option("answers", { some: 6, one: 1, many: 3, huge: 0.6 })] ?? [1, 3],
    twins: chooser.option("twins", { none: 8, twins: 1 }) === "twins",
    ties: chooser.option<Traits["ties"]>("ties", { none: 8, records: 0.7, responses: 0.7, both: 0.7 }),
    replicas: false,
    volatile: chooser.option<Traits["volatile"]>("volatile", { none: 15, undocumented: 2, comment: 2, order: 2 }),
    metricsAs: shapes.option<Traits["metricsAs"]>("metrics-as", { map: 10, list: 2, bare: 2 }),
    metadataAs: shapes.option<Traits["metadataAs"]>("metadata-as", { one: 10, several: 2, anonymous: 2 }),
    namesItself: shapes.option("survey-ids", { present: 10, missing: 2 }) === "present",
  };
  if (traits.pastEnd === "empty" && shapes.flag("past-end:no-content", 0.2)) traits.pastEnd = "no-content";
  // Where a response has equal records by itself, nothing tells one of them from another copy of it.
  traits.replicas = shapes.option("list", { one: 9, replicas: 1 }) === "replicas" && !traits.twins;
  // Only beside responses of one record can it seem to list whole ones.
  if (traits.single === "fewer") traits.answers = [1, Math.min(4, traits.answers[1])];
  // Where the first page of the other order holds a part of one response alone, it does not tell where the list ends.
  if (traits.answers[1] > 100 && traits.pastEnd === "fault") traits.pastEnd = "empty";
  return traits;
}

export function planSurvey(id: number, isNew: boolean, options: SurveyPlanOptions): SurveyPlan {
  const { chooser, interval, ticks, service } = options;
  const { random } = chooser;
  const isPlain = service.layout === "contiguous" && service.single === "right";
  // A long list in which much completes late, and nothing but the poller can keep it waiting.
  const isDeep = chooser.flag("late-deep", 0.4) && options.calm && isPlain;
  const traits: Traits = {
    ...planTraits(options),
    ...(options.isLong ? { shortPages: false, answers: [8, 40] } : {}),
    ...(options.tight ? { counts: "right" } : {}),
  };
  const span = interval * ticks;
  const createdAt = isNew ? random.next() * span * 0.8 : -DAY * random.between(1, 30);
  const within = (least: number): { from: number; to: number } => {
    const from = Math.max(0, createdAt) + interval * least + random.next() * span * 0.6;
    return { from, to: from + interval * (1 + random.next() * 6) };
  };
  const hidden = within(0);
  const gone = within(4);
  const broken = { ...within(0), page: random.between(2, 4) };
  const orphans = random.between(1, 3);
  const orphanTimes = Array.from({ length: orphans }, () => (random.next() * 1.3 - 0.3) * span);
  return {
    id,
    createdAt,
    oddCreated: chooser.flag("created-odd", 0.15),
    traits,
    words: options.words,
    isDeep,
    responses: planResponses(traits, { createdAt, isDeep }, options),
    orphansAt: chooser.flag("orphan-records", 0.08) ? orphanTimes : [],
    flips: isDeep || options.isLong || options.tight ? [] : planFlips(traits, span, chooser),
    hidden: chooser.flag("survey-hidden", 0.12) && !options.isLong ? hidden : undefined,
    gone: chooser.flag("survey-gone", 0.12) && !options.isLong ? gone : undefined,
    // A response that fills short pages in the midst of a list, and is all there is, looks like the last page.
    broken: chooser.flag("pages-fail", 0.15) && traits.answers[1] <= 100 ? broken : undefined,
  };
}

/** Each trait that the poller learns changes in some history. */
function planFlips(traits: Traits, span: number, chooser: Chooser): Flip[] {
  const { random } = chooser;
  const others = {
    sortKey: random.pick(["responseId", "dateStart", "dateCompleted", "hash", "reversed"] as const),
    counts: random.pick(["right", "frozen", "starts", "one", "lying"] as const),
    shortPages: !traits.shortPages,
    volatile: random.pick(["none", "undocumented", "comment", "order"] as const),
  };
  const flips: Flip[] = [];
  for (const [trait, value] of Object.entries(others)) {
    const at = span * (0.2 + 0.6 * random.next());
    const name = `flip:${trait}`;
    if (chooser.flag(name, 0.06)) flips.push({ at, name, change: { [trait]: value } });
  }
  return flips;
}

function planResponses(
  traits: Traits,
  { createdAt, isDeep }: Pick<SurveyPlan, "createdAt" | "isDeep">,
  options: SurveyPlanOptions,
): ResponsePlan[] {
  const { chooser, interval, ticks, mostResponses, nextId } = options;
  const { random } = chooser;
  const span = interval * ticks;
  const [least, most] = traits.answers;
  // Lists of a few pages, whatever the size of a response.
  const records = random.pick([12, 40, 90, 220]);
  const room = Math.ceil((options.isLong ? LONG_LIST : isDeep ? 260 : records) / ((least + most) / 2));
  const backlogged = createdAt < 0 && !chooser.flag("no-backlog", 0.2) ? random.below(room + 1) : 0;
  const backlog = options.isLong ? room : backlogged;
  const arrivals = random.between(1, Math.max(2, Math.ceil(room / 2)));
  const bursts = chooser.flag("bursts", 0.3) ? Array.from({ length: 3 }, () => random.next() * span) : undefined;
  const late = chooser.flag("late-completion", 0.6);
  const isPurged = chooser.option("purge", { none: 7, purge: 2 }) === "purge";
  const responses: Omit<ResponsePlan, "id">[] = [];
  const begin = Math.max(0, createdAt);
  // What is cleared stands still but for that, so that nothing excuses a pass that loses its place.
  const isCleared = options.isLong && chooser.flag("cleared", 0.6);
  for (let i = 0; i < backlog + arrivals; i += 1) {
    const old = i < backlog;
    const ends = old
      ? -(random.next() ** 2) * Math.min(9 * DAY, -createdAt)
      : bursts === undefined
        ? begin + random.next() * (span - begin)
        : Math.max(begin, Math.min(span, random.pick(bursts) + random.next() * interval));
    const response = planResponse(traits, { ends, late: late || isDeep, begin: createdAt, isDeep, isPurged }, options);
    responses.push(options.isLong && old && !isCleared ? unsettle(response, random, interval) : response);
  }
  responses.sort((a, b) => a.startsAt - b.startsAt);
  if (isCleared) clearOldest(responses, random, interval);
  const planned = responses.slice(Math.max(0, responses.length - mostResponses));
  return tied(
    traits,
    planned.map((plan) => ({ id: nextId(), ...plan })),
  );
}

/** Where whole responses tie on a date, most that may tie have begun and ended together. */
function tied({ ties }: Traits, responses: ResponsePlan[]): ResponsePlan[] {
  if (!tiesResponses(ties)) return responses;
  let before: ResponsePlan | undefined;
  return responses.map((response) => {
    const together = before !== undefined && mayTie(before.id, response.id) && response.id % 7 > 0 ? before : response;
    const { startsAt, completesAt } = together;
    const isAlike = (completesAt === undefined) === (response.completesAt === undefined);
    before = isAlike ? { ...response, startsAt, completesAt } : response;
    return before;
  });
}

interface ResponseKind {
  /** Milliseconds from the beginning of the history. */
  ends: number;
  begin: number;
  late: boolean;
  isDeep: boolean;
  /** Its survey is cleared of half of its responses in the course of the history. */
  isPurged: boolean;
}

function planResponse(
  traits: Traits,
  { ends, late, begin, isDeep, isPurged }: ResponseKind,
  { chooser, interval, ticks, isLong, shapes }: SurveyPlanOptions,
): Omit<ResponsePlan, "id"> {
  const { random } = chooser;
  const [least, most] = traits.answers;
  const kind = random.next();
  const short = random.between(10, 300) * 1000;
  const long = kind < 0.85 ? random.next() * 3 * 3_600_000 : random.next() * interval * ticks;
  const lasts = late && kind > 0.35 ? long : short;
  const after = (distance: number): number => random.next() ** 2 * distance;
  const span = interval * ticks;
  const [grows, edits, deletes] = [after(span), after(span), after(span)];
  const purgedAt = random.next() * span;
  const odd = random.pick(oddRecords);
  // Large ones take their time to read.
  const isThere = chooser.flag(`odd:${odd}`, odd === "large" ? 0.2 : 1);
  const isOdd = chooser.flag("odd-records", 0.06) && isThere;
  const single = planDetail("single", interval, chooser);
  const metrics = planDetail("metrics", interval, chooser);
  const metadata = planDetail("metadata", interval, chooser);
  const hangs = shapes.flag("details-hang", 0.004);
  return {
    startsAt: Math.max(begin, ends - lasts),
    completesAt: chooser.flag("stays-open", 0.06) ? undefined : ends,
    answers: random.between(least, most),
    odd: isOdd ? odd : undefined,
    growsAfter: chooser.flag("grows", 0.015) ? grows : undefined,
    editedAfter: chooser.flag("edited", 0.015) ? edits : undefined,
    deletedAfter: chooser.flag("deleted", isPurged ? 0.5 : 0.03) ? (isPurged ? purgedAt : deletes) : undefined,
    // They are kept in the vault while they wait.
    metrics: isOdd && odd === "large" ? { presentFrom: interval / 2, failsUntil: -Infinity } : metrics,
    metadata: hangs ? { ...metadata, failsUntil: 4 * interval, hangs } : metadata,
    single: isDeep || isLong ? { presentFrom: -Infinity, failsUntil: -Infinity } : single,
  };
}

/** Milliseconds after completion. */
function planDetail(name: string, interval: number, chooser: Chooser): Detail {
  const soon = chooser.random.next() ** 2 * interval * 5;
  const plain = { presentFrom: -Infinity, failsUntil: -Infinity };
  switch (chooser.option(name, { there: 60, late: 1, never: 1, failing: 1, "failing-for-ever": 0.4 })) {
    case "late":
      return { ...plain, presentFrom: soon };
    case "never":
      return { ...plain, presentFrom: Infinity };
    case "failing":
      return { ...plain, failsUntil: soon };
    case "failing-for-ever":
      return { ...plain, failsUntil: Infinity };
    default:
      return plain;
  }
}

const HOUR = 3_600_000;

export type WordsPlan = ReturnType<typeof planWords>;

/** How the questions of a survey read, and what becomes of them. */
export function planWords(chooser: Chooser, span: number, interval: number) {
  const { random } = chooser;
  const from = random.next() * span * 0.7;
  const to = Math.min(span, from + interval * (1 + random.next() * 12));
  const how = random.pick(["status", "error body", "gone"] as const);
  return {
    /** By what number answers name the first choice, and how much of that the definition tells. */
    base: chooser.option("index-base", { one: 1, zero: 1 }) === "zero" ? (0 as const) : (1 as const),
    evidence: chooser.option("index-base-evidence", { told: 6, untold: 1, contradictory: 1 }),
    isHtml: chooser.flag("html-questions", 0.5),
    /** Milliseconds after which somebody edits the survey again. */
    editedEvery: HOUR * Number(chooser.option("survey-edits", { 72: 3, 4: 3, 0.7: 1 })),
    /** Milliseconds from the beginning: while its definition fails. */
    fails: chooser.flag("questions-fail", 0.15) ? { from, to, how } : undefined,
  };
}

// A survey whose list is long for its pages, and moves while it is caught up in many turns: several pages are on their way then.

/** Records of the list at the beginning. */
const LONG_LIST = 1_600;
/** Intervals at the beginning in which much of it changes. */
const RESTLESS_FOR = 5;

/** Changes the source so that the list is caught up. Gives undefined where no list is long. */
export function planLongList(chooser: Chooser, source: PollingSource) {
  const { random } = chooser;
  const startFrom = random.pick(["beginning", "beginning", source.startFrom]);
  const restless = random.pick([0.1, 0.2, 0.6]);
  /** Milliseconds that a slice has at most. */
  const turnTime = random.pick([Infinity, 300, 1_000, 3_000]);
  if (!chooser.flag("long-list", 0.1)) return undefined;
  source.startFrom = startFrom;
  return { restless, turnTime };
}

/** Some of what was there at the beginning is deleted while it is read, much completes only then, in the midst of it by most keys. */
function unsettle<T extends Omit<ResponsePlan, "id">>(response: T, random: Random, interval: number): T {
  const when = random.next() * RESTLESS_FOR * interval;
  const chance = random.next();
  if (chance < 0.1) return { ...response, deletedAfter: when };
  return chance < 0.6 && response.completesAt !== undefined && response.completesAt < when
    ? { ...response, completesAt: when }
    : response;
}

/** The oldest of a list, up to half of it, are deleted at one moment, as somebody tidies up: all that stands behind them moves by pages. */
function clearOldest(responses: Omit<ResponsePlan, "id">[], random: Random, interval: number): void {
  const when = random.next() * RESTLESS_FOR * interval;
  const share = 0.1 + 0.4 * random.next();
  for (const response of responses.slice(0, Math.floor(share * responses.length))) {
    if (response.completesAt === undefined || response.completesAt > when) continue;
    response.deletedAfter = when - Math.max(0, response.completesAt);
  }
}
