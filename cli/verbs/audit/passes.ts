import type { SourceConfig } from "../../../lib/config/index.ts";
import { sayWhyOpen } from "../../../lib/polling/model/books.ts";
import { readMark } from "../../../lib/state/leases.ts";
import { CommandError, InterruptedError, notNow } from "../../errors.ts";
import type { Io, ProgressLine } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { eachEmitted } from "../../target/responses.ts";
import { readSource, type SourceState, type SurveyState, tableOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import { isPolling, letItPoll, wait } from "../../wait.ts";
import { count, span, utc } from "../../words.ts";
import type { AuditCost, AuditedSurvey } from "./answer.ts";

const PER_PAGE = 100;
/** Each page is read again, and the end of the list is looked at from both sides. */
const READS = 2;
const AT_THE_END = 4;

/** Pages of a list as they were counted when its end was seen last; else at least so many. */
export function pagesOf({ mark, row }: SurveyState): { pages: number; isExact: boolean } {
  const least = Math.max(1, Math.ceil((row?.counts[0] ?? 0) / PER_PAGE));
  return { pages: Math.max(mark.lastPage ?? 0, least), isExact: mark.lastPage !== undefined };
}

/** The requests and the time that a full pass of these surveys costs. */
export function costOf(
  { account }: Pick<SourceState, "account">,
  surveys: readonly SurveyState[],
  source: Pick<SourceConfig, "backgroundRequests" | "interval" | "maxRequestsPerSecond">,
  at: { isNow: boolean; now: number },
): AuditCost {
  const known = surveys.map(pagesOf);
  const pages = known.reduce((sum, one) => sum + one.pages, 0);
  const requests = READS * pages + AT_THE_END * surveys.length;
  const { requestsPerSecond: learned } = (account.learned ?? {}) as { requestsPerSecond?: number };
  const rate = Math.min(learned ?? Number.POSITIVE_INFINITY, source.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY);
  // Full passes have half of the budget; ticks may follow at once where a run is driven by hand.
  const ticks = Math.ceil(requests / Math.max(1, source.backgroundRequests / 2));
  return {
    pages,
    isExact: known.every(({ isExact }) => isExact),
    requests,
    seconds: rate === Number.POSITIVE_INFINITY ? null : Math.ceil(requests / rate),
    by: at.isNow ? null : at.now + ticks * source.interval,
  };
}

/** "It reads 12 pages, about 28 requests; …" */
export function costText({ pages, isExact, requests, seconds, by }: AuditCost): string {
  const rate = seconds === null ? "" : ` At the rate that was learned they take ${span(seconds * 1_000)}.`;
  const end = by === null ? "" : ` Within the background budget it is done by ${utc(by)}.`;
  const least = isExact ? "" : "at least ";
  return `It reads ${least}${count(pages, "page")}, about ${count(requests, "request")}.${rate}${end}`;
}

/** A survey of which nothing was asked yet. */
export function toDo(survey: SurveyState, outcome: "to do" | "planned" = "to do"): AuditedSurvey {
  return {
    surveyId: survey.surveyId,
    name: survey.mark.survey?.facts.name ?? null,
    pages: pagesOf(survey).pages,
    outcome,
    listed: null,
    found: null,
    missing: null,
    closedAt: null,
    why: null,
    unaccounted: null,
  };
}

/** The state of the mark when a full pass was asked for: when its books were closed last, and when the next pass was due. */
interface Before {
  closedAt: number | undefined;
  nextPass: number | undefined;
}

function beforeOf({ mark }: SurveyState, nextPass = mark.nextPass): Before {
  return { closedAt: mark.books?.closedAt, nextPass };
}

/** The outcome of the full pass that was asked for; undefined while it is under way. No two clocks are compared. */
export function outcomeOf(survey: SurveyState, before: Before): AuditedSurvey | undefined {
  const { books, booksOpen, pass, nextPass } = survey.mark;
  const of = toDo(survey);
  if (books !== undefined && booksOpen === undefined && books.closedAt !== before.closedAt) {
    const { listed, found, closedAt } = books;
    return { ...of, outcome: "closed", listed, found, closedAt };
  }
  // A pass at its end says when the next one begins.
  const isOver = pass === undefined && nextPass !== before.nextPass;
  if (!isOver || booksOpen === undefined) return undefined;
  const why = sayWhyOpen(booksOpen);
  if (booksOpen.code !== "unaccounted") return { ...of, outcome: "open", why };
  return { ...of, outcome: "unaccounted", why, unaccounted: { count: booksOpen.count, ids: [] } };
}

/** One that cannot be audited now. */
function leftOpen(survey: SurveyState, why: string): AuditedSurvey {
  return { ...toDo(survey), outcome: "open", why };
}

/** The same, by what its last full pass has said if that said anything. */
function stillOpen(survey: SurveyState, why: string): AuditedSurvey {
  const { booksOpen } = survey.mark;
  return leftOpen(survey, booksOpen === undefined ? why : sayWhyOpen(booksOpen));
}

/** The place of a pass: while it stays the same nothing goes on. */
function placeOfPass({ mark }: SurveyState): string {
  const { pass, phase, booksOpen, nextPass } = mark;
  return JSON.stringify([pass?.page, pass?.failures, phase, booksOpen, nextPass]);
}

/** Ticks after which a pass that comes no further is not waited for. */
const MOST_IDLE = 30;
/** Milliseconds beyond two intervals for which a tick is waited for. */
const PATIENCE = 300_000;

interface AuditOf {
  target: Target;
  source: SourceConfig;
  surveys: readonly SurveyState[];
  io: Pick<Io, "now" | "signal">;
  progress: ProgressLine;
}

/** Makes the full passes due; ticks make them from then on. Gives what was known of each survey before. */
export async function planPasses({ target, source, surveys }: AuditOf): Promise<Map<number, Before>> {
  const planned = new Map<number, Before>();
  for (const survey of surveys) {
    const { surveyId } = survey;
    const { outcome, dueAt } = await target.operate(source.name, "audit", { surveyId, mode: "plan" });
    planned.set(surveyId, beforeOf(survey, dueAt));
    if (outcome === "planned") continue;
    const hint = "Try again in a minute: those before it are planned.";
    throw notNow("SURVEY_BUSY", `somebody else is at work on survey ${surveyId}`, { hint });
  }
  return planned;
}

/** Waits until each pass that was planned has come to its end, or comes no further. */
export async function watchPasses(of: AuditOf, planned: ReadonlyMap<number, Before>): Promise<AuditedSurvey[]> {
  const { target, source, io, progress } = of;
  let idle = { shown: "", ticks: 0, lastTick: 0, since: io.now() };
  for (;;) {
    const { account, surveys } = await readSource(target, source.name);
    const chosen = surveys.filter(({ surveyId }) => planned.has(surveyId));
    const outcomes = chosen.map((survey) => outcomeOf(survey, planned.get(survey.surveyId) ?? beforeOf(survey)));
    const giveUp = (why: string): AuditedSurvey[] => chosen.map((survey, i) => outcomes[i] ?? stillOpen(survey, why));
    if (outcomes.every((outcome) => outcome !== undefined)) return outcomes;
    if (account.pausedUntil !== undefined) return giveUp("the source is paused");
    const pending = chosen.filter((_, i) => outcomes[i] === undefined);
    show(progress, pending, chosen.length);

    const shown = JSON.stringify(pending.map(placeOfPass));
    const { lastTick = 0 } = account;
    if (shown !== idle.shown) idle = { shown, ticks: 0, lastTick, since: io.now() };
    else if (lastTick !== idle.lastTick) idle = { ...idle, ticks: idle.ticks + 1, lastTick };
    if (idle.ticks >= MOST_IDLE) return giveUp("the full pass comes no further");
    const isSilent = isPolling(target) && io.now() > Math.max(lastTick, idle.since) + 2 * source.interval + PATIENCE;
    if (isSilent) return giveUp("no tick comes to its end");
    await letItPoll(target, source.name, io);
  }
}

function show(progress: ProgressLine, pending: readonly SurveyState[], all: number): void {
  const [first] = pending;
  if (first === undefined) return;
  const { pages } = pagesOf(first);
  const page = Math.max(1, first.mark.pass?.page ?? 1);
  const others = all > 1 ? `, ${count(all - pending.length, "survey")} of ${all} done` : "";
  progress.update(`survey ${first.surveyId}: page ${page} of ${Math.max(page, pages)}${others}`, (page - 1) / pages);
}

/** Slices in a row that come no further, after which it is left. */
const MOST_IDLE_SLICES = 20;
const PAUSE = 1_000;

/** Reads the full pass of each survey at once, in slices between which ticks look at the head. */
export async function readPasses(of: AuditOf): Promise<AuditedSurvey[]> {
  const outcomes: AuditedSurvey[] = [];
  for (const survey of of.surveys) outcomes.push(await readPass(of, survey));
  return outcomes;
}

async function readPass(of: AuditOf, survey: SurveyState): Promise<AuditedSurvey> {
  const { target, source, io, progress } = of;
  const { surveyId } = survey;
  let now = survey;
  let idle = 0;
  let mode: "begin" | "read" = "begin";
  while (idle < MOST_IDLE_SLICES) {
    if (io.signal.aborted) throw new InterruptedError();
    const { pages } = pagesOf(now);
    const page = Math.max(1, now.mark.pass?.page ?? 1);
    progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)}`, (page - 1) / pages);
    const { outcome, failure } = await slice(of, surveyId, mode);
    if (outcome === "read") mode = "read";
    const before = placeOfPass(now);
    now = await look(of, survey);
    const over = outcomeOf(now, beforeOf(survey));
    if (over !== undefined) return over;
    if (outcome === "paused") return leftOpen(now, "the source is paused");
    if (outcome === "behind") return leftOpen(now, "it is being caught up");
    idle = placeOfPass(now) === before ? idle + 1 : 0;
    if (failure !== undefined && idle > 2) return leftOpen(now, failure.message);
    // The ticks do first what keeps it.
    if (outcome === "changing") await letItPoll(target, source.name, io);
    else if (outcome === "busy" || idle > 0) await wait(PAUSE, io);
  }
  return stillOpen(now, "the full pass comes no further");
}

/** One slice of reading. A refusal of the service for now is no failure of the audit. */
async function slice({ target, source }: AuditOf, surveyId: number, mode: "begin" | "read") {
  try {
    return await target.operate(source.name, "audit", { surveyId, mode });
  } catch (error) {
    if (!(error instanceof CommandError) || !/^(TOO_MANY_REQUESTS|OUT_OF_TIME)$/.test(error.code)) throw error;
    return { outcome: "busy" as const, failure: error };
  }
}

async function look({ target, source }: AuditOf, survey: SurveyState): Promise<SurveyState> {
  const { surveys } = await readSource(target, source.name);
  return surveys.find(({ surveyId }) => surveyId === survey.surveyId) ?? survey;
}

interface Of {
  target: Target;
  source: Pick<SourceConfig, "name">;
  /** As they were before the audit. */
  surveys: readonly SurveyState[];
  io: { signal: AbortSignal };
}

/**
 * Names what a full pass has found that other walks should have met. These went out while it was read, and are older than the newest one
 * that was settled before. Null where they are not as many as the pass has counted, since some still wait, say.
 */
export async function withMissing(
  { target, source, surveys, io }: Of,
  audited: AuditedSurvey[],
): Promise<AuditedSurvey[]> {
  const answers: AuditedSurvey[] = [];
  for (const one of audited) {
    const newest = surveys.find(({ surveyId }) => surveyId === one.surveyId)?.mark.highWater?.responseId;
    if (!one.found || newest === undefined) {
      answers.push(one);
      continue;
    }
    const { surveyId, found } = one;
    const { books } = await askingAws("the table could not be read", () =>
      readMark(tableOf(target), source.name, surveyId),
    );
    const ids: number[] = [];
    await eachEmitted(target, [{ source: source.name, surveyId }], io, (_, entries) => {
      for (const { id, emittedAt } of entries)
        if (emittedAt >= (books?.startedAt ?? Number.POSITIVE_INFINITY)) ids.push(id);
    });
    const missing = ids.filter((id) => id < newest).sort((a, b) => a - b);
    answers.push({ ...one, missing: ids.length === found ? missing : null });
  }
  return answers;
}
