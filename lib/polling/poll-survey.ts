import type { SurveyCounts } from "../events/build/survey.ts";
import { readBacklog, readForBooks } from "./full-read.ts";
import { dropExpired } from "./ledger/kept-records.ts";
import type { RestKind, SurveyRow, WorkDue } from "./model/account.ts";
import { newFullRead } from "./model/books.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { type CountsMark, type Listed, placeOf, type SurveyState } from "./model/survey-state.ts";
import { emitDue } from "./publish/emit.ts";
import { type Presence, shownAs, tellCounts, tellSurvey } from "./publish/tell.ts";
import { hasUntold, tellBooks } from "./publish/tell-books.ts";
import { nextRecheckOf, recheck } from "./recheck.ts";
import { noteAllRead, rescan, scanAbove, scanBelow, scanHead } from "./scan.ts";
import { nextTry, tryAgain } from "./skipped-pages.ts";
import { type Budget, type Survey, type SurveyRequest, withSurvey } from "./survey.ts";

export interface PollRequest extends SurveyRequest {
  presence: Presence;
  /** Undefined where the list was not read. */
  listed?: Listed | undefined;
  /** The counts that it shows beside. */
  shown?: SurveyCounts | undefined;
  /** Whether the head is read: something asks for it, or the counts have moved. */
  head: boolean;
  /** The counts of the list, and the row of the survey before this poll. What they show and the head does not is looked for below it. */
  counts?: SurveyRow["counts"];
  row?: SurveyRow | undefined;
  /** Whether this is the turn of its backlog: after its news that is read on, until `streamUntil`. Nothing is done where it has none. */
  isTurn?: boolean;
  /** Work of this kind that is done, as far as the budget goes. */
  rest?: { kind: RestKind; budget: Budget };
}

export interface PollResult {
  counts: PollCounts;
  headRead: boolean;
  /** By how much the counts have grown since the row was written. */
  grown: number;
  /** Completed responses that the single read has shown and only pages can give. */
  sought: number;
  /** What came of looking below the head for what counts show. In vain: all pages were read, by now or in earlier polls, and nothing was met. */
  below?: "found" | "vain" | undefined;
  /** The state as the poll has left it. */
  state: SurveyState;
  /** Epoch milliseconds at which the survey is due whatever the counts say; absent when never. */
  dueAt: number | undefined;
  /** When other work is due. */
  rest: WorkDue;
  /** Whether a backlog is under way. */
  resumed: boolean;
  /** Whether its backlog has come further, or something of it has gone out. */
  isFurther: boolean;
  /** Whether this poll has closed the books. */
  closedNow: boolean;
  /** The survey itself as subscribers know it, in the form of `shownAs`; undefined where they are not told. */
  known: number | undefined;
  /** Its counts as subscribers know them; undefined where they are not told. */
  counted: CountsMark | undefined;
  /** The failure of some response alone: that one is left to the next poll, all else was done. */
  failure: unknown;
}

/** Pages that a part of slow work reads, about. */
const PAGES_A_PART = 4;

/** Polls one survey under its lease: what waits and is due, then its backlog or its head, then other work. Undefined where someone else has the survey. */
export function pollSurvey(request: PollRequest): Promise<PollResult | undefined> {
  return withSurvey(request, async (survey) => {
    const { listed, shown, presence, isTurn = false } = request;
    const before = survey.state;
    // fault: survey-not-named
    if (listed?.facts) survey.note({ kind: "listed", survey: { ...listed, facts: listed.facts } });
    if (listed !== undefined) await survey.orLeave(() => tellSurvey(survey, listed, presence));
    if (listed !== undefined && shown !== undefined) await survey.orLeave(() => tellCounts(survey, shown, listed.at));
    let looked: Looked = { ...NOTHING, counts: noCounts() };
    if (!isTurn || placeOf(before) !== undefined) {
      await dropExpired(survey);
      // Both go on beside each other: a detail that hangs again at each tick must not keep the news waiting.
      const [waiting, look] = await Promise.allSettled([emitDue(survey), lookForAll(survey, request)]);
      if (look.status === "rejected") throw look.reason;
      if (waiting.status === "rejected") throw waiting.reason;
      looked = look.value;
      addCounts(looked.counts, waiting.value);
    }
    await tellBooks(survey);
    const { state, source, failure } = survey;
    const { counts } = looked;
    const place = placeOf(state);
    return {
      ...looked,
      state,
      dueAt: await nextDue(survey, counts),
      rest: await restOf(survey),
      resumed: place !== undefined,
      isFurther: place?.page !== placeOf(before)?.page || counts.emitted + counts.waiting > 0,
      closedNow: state.books !== undefined && state.books.closedAt !== before.books?.closedAt,
      known: state.known && source.events.has("survey.changed") ? shownAs(state.known.facts) : undefined,
      counted: source.events.has("survey.counted") ? state.counted : undefined,
      failure,
    };
  });
}

/** What a look for new responses, and other work, came to. */
type Looked = Pick<PollResult, "counts" | "headRead" | "grown" | "sought" | "below">;
const NOTHING = { headRead: false, grown: 0, sought: 0 };

/** Looks for what is new, and does what other work it may. */
async function lookForAll(survey: Survey, request: PollRequest): Promise<Looked> {
  await tryAgain(survey);
  const isHeadDue = request.head || survey.state.phase.kind !== "head";
  const looked = isHeadDue ? await readNews(survey, request) : { ...NOTHING, counts: noCounts() };
  const { rest } = request;
  if (rest === undefined || looked.counts.unfinished) return looked;
  const done = await doRest(survey.paidBy(rest.budget), rest.kind);
  return {
    ...looked,
    counts: addCounts(looked.counts, done.counts),
    headRead: looked.headRead || done.headRead,
    sought: looked.sought + done.sought,
  };
}

/** The news of a survey: at its head and below it; above a backlog, and that backlog itself in its turn; all that is there at the first poll. */
async function readNews(survey: Survey, { counts: listed = [], row, isTurn = false }: PollRequest): Promise<Looked> {
  const read: Looked = { ...NOTHING, headRead: true, counts: noCounts() };
  const { counts } = read;
  const place = placeOf(survey.state);
  if (place !== undefined) {
    const now = survey.ports.clock.now();
    // Whatever fails in looking at the head, and however long it takes, the backlog does not wait for it.
    const until = isTurn ? now + (survey.turnUntil - now) / 2 : survey.deadline;
    const above = (await survey.orLeave(() => scanAbove(survey, until))) ?? noCounts();
    if (!isTurn)
      return { ...read, grown: grownBy(listed, row, survey.state.books), counts: { ...above, unfinished: true } };
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
  const grown = grownBy(listed, row, survey.state.books);
  const { hint } = row ?? {};
  const isResting = hint !== undefined && hint.missing > 0 && hint.nextAt > survey.ports.clock.now();
  const missing = isResting ? 0 : (hint?.missing ?? 0) + grown - counts.found;
  if (missing <= 0) survey.note({ kind: "searched" });
  if (missing <= 0 || !isClean(counts) || survey.state.phase.kind !== "head" || row === undefined)
    return { ...read, grown };
  const below = await scanBelow(survey, missing, grown);
  addCounts(counts, below.counts);
  return { ...read, grown, below: below.isVain ? "vain" : below.counts.found > 0 ? "found" : undefined };
}

/** By how much the counts have grown since the last poll: the one that has grown most. Behind books that have closed since then, by what they show beyond these alone. */
export function grownBy(
  counts: SurveyRow["counts"],
  row: Pick<SurveyRow, "counts" | "polledAt"> | undefined,
  books?: { closedAt: number; listed: number },
): number {
  const isRead = row !== undefined && books !== undefined && books.closedAt > row.polledAt;
  const grown = counts.map((count, i) => {
    const more = (count ?? 0) - (row?.counts[i] ?? count ?? 0);
    return isRead ? Math.min(more, (count ?? 0) - books.listed) : more;
  });
  return Math.max(0, ...grown);
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

/** When other work of this survey is due next. What is under way goes on at once; its period is that of a part. */
async function restOf(survey: Survey): Promise<WorkDue> {
  const { state, source } = survey;
  const { every, full } = source.rescan;
  const { place, doneAt = 0, step = 0 } = state.rescan ?? {};
  const parts = (pages: number): number => Math.max(1, Math.ceil(pages / PAGES_A_PART));
  return {
    // Re-checks have no period of their own.
    // fault: no-re-check
    recheck: { at: await nextRecheckOf(survey), every },
    rescan:
      place === undefined ? { at: doneAt + every, every } : { at: place.startedAt, every: every / parts(2 ** step) },
    // fault: one-pass-only
    "full read":
      state.pass === undefined
        ? { at: state.nextPass ?? 0, every: full }
        : { at: state.pass.startedAt, every: full / parts(state.lastPage ?? 1) },
  };
}

async function nextDue(survey: Survey, counts: PollCounts): Promise<number | undefined> {
  const now = survey.ports.clock.now();
  if (counts.unfinished || counts.left > 0) return now;
  const moments: number[] = [];
  // fault: waiting-unasked
  const next = await survey.ports.state.nextDue(survey.id, "waiting");
  if (next !== undefined) moments.push(next);
  const tried = nextTry(survey.state);
  if (tried !== undefined) moments.push(tried);
  // A change of the survey itself is told, or forgotten, by the next list.
  if (survey.state.known?.sight !== undefined) moments.push(now);
  if (hasUntold(survey)) moments.push(now + survey.source.absentAfter);
  // The index may lag behind what was just written.
  if (counts.waiting > 0) moments.push(now + survey.source.absentAfter);
  return moments.length === 0 ? undefined : Math.min(...moments);
}
