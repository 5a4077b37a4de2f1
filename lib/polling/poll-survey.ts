import { endsWork } from "./errors.ts";
import { readBacklog, readForBooks } from "./full-read.ts";
import { foundSince, grownBy, type HintPoll, nextHint } from "./hints.ts";
import { dropExpired } from "./ledger/kept-records.ts";
import type { RestDue, RestKind, SurveyRow } from "./model/account.ts";
import { newFullRead } from "./model/books.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { placeOf, type SurveyState } from "./model/survey-state.ts";
import { emitDue } from "./publish/emit.ts";
import { shownAs, tellCounts, tellSurvey } from "./publish/tell.ts";
import { hasUntold, tellBooks } from "./publish/tell-books.ts";
import { nextRecheckOf, recheck } from "./recheck.ts";
import { noteAllRead, rescan, scanBelow } from "./scan-below.ts";
import { scanAbove, scanHead } from "./scan-head.ts";
import { nextTry, tryAgain } from "./skipped-pages.ts";
import { type Budget, type Survey, type SurveyRequest, withSurvey } from "./survey.ts";
import { isGone, type ListedSurvey } from "./survey-list.ts";

export interface PollRequest extends SurveyRequest {
  /** The survey as the survey list shows it, and when that was read (epoch milliseconds). */
  listed: ListedSurvey;
  listedAt: number;
  /** Whether it was made after the first tick of its source. */
  isLater: boolean;
  /** The survey before this poll. What the list counts beyond it, and the head does not show, is looked for below the head. */
  row: SurveyRow | undefined;
  /** Whether this is the turn of its backlog: after its news that is read on, until `turnUntil`. Nothing is done where it has none. */
  isTurn?: boolean;
  /** Work of this kind that is done instead of looking for news, as far as the budget goes. */
  rest?: { kind: RestKind; budget: Budget } | undefined;
}

export interface PollResult {
  counts: PollCounts;
  /** The state as the poll has left it. */
  state: SurveyState;
  /** The survey as the tick knows it from now on. */
  row: SurveyRow;
  /** Whether its backlog has come further, or something of it has gone out. */
  isFurther: boolean;
  /** Whether this poll has closed the books. */
  closedNow: boolean;
}

/** The outcome of a poll, and what of this survey alone has failed. No result: all of it has, or someone else has the survey. */
export interface SurveyOutcome {
  result?: PollResult | undefined;
  error?: unknown;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Pages that a part of slow work reads, about. */
const PAGES_A_PART = 4;

/** Polls one survey under its lease. What ends all work is thrown. */
export async function pollSurvey(request: PollRequest): Promise<SurveyOutcome> {
  try {
    return (await withSurvey(request, (survey) => poll(survey, request))) ?? {};
  } catch (error) {
    if (endsWork(error)) throw error;
    return { error };
  }
}

/** What waits and is due, then its backlog or its head, then other work. */
async function poll(survey: Survey, request: PollRequest): Promise<SurveyOutcome> {
  const { listed, listedAt: at, isLater, isTurn = false } = request;
  const { facts, shown } = listed;
  const before = survey.state;
  // fault: survey-not-named
  if (facts) survey.note({ kind: "listed", survey: { facts, at } });
  if (facts !== undefined) await survey.orLeave(() => tellSurvey(survey, { facts, at }, isLater));
  if (shown !== undefined) await survey.orLeave(() => tellCounts(survey, shown, at));
  let looked: Looked = { ...NOTHING, counts: noCounts() };
  if (!isTurn || placeOf(before) !== undefined) {
    await dropExpired(survey);
    // Both go on beside each other: a detail that hangs again at each tick must not keep the news waiting.
    const [waiting, news] = await Promise.allSettled([emitDue(survey), look(survey, request)]);
    if (news.status === "rejected") throw news.reason;
    if (waiting.status === "rejected") throw waiting.reason;
    looked = news.value;
    addCounts(looked.counts, waiting.value);
  }
  await tellBooks(survey);
  const { state, failure } = survey;
  const { counts } = looked;
  const closedNow = state.books !== undefined && state.books.closedAt !== before.books?.closedAt;
  const row = await rowAfter(survey, request, { ...looked, closedNow });
  const isFurther = placeOf(state)?.page !== placeOf(before)?.page || counts.emitted + counts.waiting > 0;
  return { result: { counts, state, row, isFurther, closedNow }, error: failure };
}

/** What a look for new responses, and other work, came to. */
type Looked = Pick<HintPoll, "grown" | "sought" | "below"> & { counts: PollCounts; headRead: boolean };
const NOTHING = { headRead: false, grown: 0, sought: 0 };

/** Looks for what is new, or does other work where the survey has no backlog. */
async function look(survey: Survey, request: PollRequest): Promise<Looked> {
  await tryAgain(survey);
  const { rest } = request;
  if (rest === undefined || survey.state.phase.kind !== "head") return readNews(survey, request);
  return doRest(survey.paidBy(rest.budget), rest.kind);
}

/** The news of a survey: at its head and below it; above a backlog, and that backlog itself in its turn; all that is there at the first poll. */
async function readNews(survey: Survey, { listed, row, isTurn = false }: PollRequest): Promise<Looked> {
  const read: Looked = { ...NOTHING, headRead: true, counts: noCounts() };
  const { counts } = read;
  const place = placeOf(survey.state);
  if (place !== undefined) {
    const now = survey.ports.clock.now();
    // Whatever fails in looking at the head, and however long it takes, the backlog does not wait for it.
    const until = isTurn ? now + (survey.turnUntil - now) / 2 : survey.deadline;
    const above = (await survey.orLeave(() => scanAbove(survey, place, until))) ?? noCounts();
    if (!isTurn)
      return {
        ...read,
        grown: grownBy(listed.counts, row, survey.state.books),
        counts: { ...above, unfinished: true },
      };
    // The backlog meets all of it again.
    addCounts(counts, { ...above, left: 0, unfinished: false });
    addCounts(counts, await readBacklog(survey, placeOf(survey.state) ?? place));
    return read;
  }
  if (survey.state.phase.kind === "new") {
    addCounts(counts, await readBacklog(survey, newFullRead(survey.ports.clock.now())));
    // The list may have its news elsewhere than at the oldest end.
    if (!isClean(counts)) return read;
  }
  addCounts(counts, await scanHead(survey));
  // The first reading has come to its end.
  if (survey.state.rescan === undefined) noteAllRead(survey);
  const grown = grownBy(listed.counts, row, survey.state.books);
  const { hint } = row ?? {};
  const isResting = hint !== undefined && hint.missing > 0 && hint.nextAt > survey.ports.clock.now();
  const missing = isResting ? 0 : (hint?.missing ?? 0) + grown - foundSince(row, survey);
  if (missing <= 0) survey.note({ kind: "searched" });
  if (missing <= 0 || !isClean(counts) || survey.state.phase.kind !== "head" || row === undefined)
    return { ...read, grown };
  const below = await scanBelow(survey, missing, grown);
  addCounts(counts, below.counts);
  return { ...read, grown, below: below.outcome };
}

/** Other work, as far as the budget goes. */
async function doRest(survey: Survey, kind: RestKind): Promise<Looked> {
  const none = { ...NOTHING, counts: noCounts() };
  switch (kind) {
    case "full read":
      return { ...none, counts: await readForBooks(survey) };
    case "recheck":
      return { ...none, ...(await recheck(survey)) };
    case "rescan": {
      if (survey.state.rescan?.place !== undefined) return { ...none, counts: await rescan(survey) };
      const counts = await scanHead(survey);
      // A place to go on from is no empty page taken as it is, and no scan that was cut short.
      if (isClean(counts)) addCounts(counts, await rescan(survey));
      return { ...none, counts, headRead: true };
    }
  }
}

/** The survey as the tick knows it from now on. Its counts come last, once all that was seen is in the state (R28). */
async function rowAfter(
  survey: Survey,
  { listed, listedAt, row, rest }: PollRequest,
  { counts, headRead, ...looked }: Looked & { closedNow: boolean },
): Promise<SurveyRow> {
  const { state, source, failure } = survey;
  const now = survey.ports.clock.now();
  const isBehind = placeOf(state) !== undefined;
  const hint = nextHint(row?.hint, { ...looked, found: foundSince(row, survey), isBehind }, now);
  // The index may not show yet what another poll of this very tick has made wait.
  const isOfThisTick = row !== undefined && Math.max(row.polledAt, row.workedAt) >= listedAt;
  const { dueAt: before = NEVER } = row ?? {};
  const dueAt = Math.min(before > now || isOfThisTick ? before : NEVER, await nextDue(survey, counts));
  const isNew = headRead || row === undefined;
  return {
    counts: isNew ? listed.counts : row.counts,
    polledAt: isNew ? now : row.polledAt,
    workedAt: rest === undefined ? (row?.workedAt ?? now) : now,
    rest: await restAfter(survey, { listed, row, rest }),
    ...(dueAt === NEVER ? {} : { dueAt }),
    ...(isBehind ? { isBehind } : {}),
    ...(hint === undefined ? {} : { hint }),
    ...(failure === undefined ? {} : { failingSince: row?.failingSince ?? now }),
    ...(state.books === undefined ? {} : { booksAt: state.books.closedAt }),
    ...(state.found === undefined ? {} : { found: state.found }),
    ...(state.known && source.events.has("survey.changed") ? { known: shownAs(state.known.facts) } : {}),
    ...(state.counted && source.events.has("survey.counted") ? { counted: state.counted } : {}),
  };
}

/** When other work of this survey is due next. What is under way goes on at once; its period is that of a part. */
async function restAfter(
  survey: Survey,
  { listed, row, rest }: Pick<PollRequest, "listed" | "row" | "rest">,
): Promise<RestDue> {
  const { state, source, ports } = survey;
  const { every, full } = source.rescan;
  const { place, doneAt = 0, step = 0 } = state.rescan ?? {};
  const { pass, nextPass = 0, lastPage = 1 } = state;
  const due = (kind: RestKind, at: number, period: number, pages = 1): RestDue[RestKind] => ({
    at,
    every: period / Math.max(1, Math.ceil(pages / PAGES_A_PART)),
    triedAt: rest?.kind === kind ? ports.clock.now() : (row?.rest[kind].triedAt ?? ports.clock.now()),
  });
  // One that is listed no more has no further books.
  // fault: one-pass-only
  const passAt = isGone(listed) ? NEVER : (pass?.startedAt ?? nextPass);
  return {
    // Re-checks have no period of their own.
    // fault: no-re-check
    recheck: due("recheck", await nextRecheckOf(survey), every),
    rescan: due("rescan", place?.startedAt ?? doneAt + every, every, place && 2 ** step),
    "full read": due("full read", passAt, full, pass && lastPage),
  };
}

/** Epoch milliseconds at which the survey is due whatever the counts say; Infinity when never. */
async function nextDue(survey: Survey, counts: PollCounts): Promise<number> {
  const now = survey.ports.clock.now();
  if (counts.unfinished || counts.left > 0) return now;
  // fault: waiting-unasked
  const next = await survey.ports.state.nextDue(survey.id, "waiting");
  const moments = [next, nextTry(survey.state)];
  // A change of the survey itself is told, or forgotten, by the next list.
  if (survey.state.known?.sight !== undefined) moments.push(now);
  // The index may lag behind what was just written.
  if (hasUntold(survey) || counts.waiting > 0) moments.push(now + survey.source.absentAfter);
  return Math.min(NEVER, ...moments.filter((at) => at !== undefined));
}
