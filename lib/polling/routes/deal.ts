import type { Change } from "../../events/index.ts";
import type { PassIds } from "../books/pass-ids.ts";
import { compareAnew, noteApart } from "../contents/operation9.ts";
import type { Proof } from "../contents/prove.ts";
import { noteSuspects } from "../contents/suspects.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { holdLease } from "../lease.ts";
import { differences, grown, noteChange } from "../ledger/changes.ts";
import { type Decision, decide, type Judgement } from "../ledger/judge.ts";
import { noted, orphanEntries, quarantined } from "../ledger/note-entries.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { noteFound } from "../model/mark.ts";
import { placeOf } from "../model/phase.ts";
import { digestOf, type ReadRecord, type Run } from "../model/records.ts";
import type { Order } from "../ports.ts";
import type { Found } from "../publish/candidate.ts";
import { forgetOldest } from "../walk/course.ts";
import { isWhole, type Piece } from "../walk/join.ts";
import type { WalkStep } from "../walk/walk.ts";

// What a walk does about the responses that it meets: judges them when their page is read, deals with them once they have ended.

/** The work on the responses that have ended with one page. */
export interface Dealt {
  /** Completed ones that have to go out. */
  toEmit: Found[];
  /** New completed responses that need no event: history or unreadable. */
  found: number;
  /** Unreadable responses and single records. */
  quarantined: number;
  /** Unreadable ones that could not be kept: left to the next poll. */
  left: number;
  /** Emitted responses whose records are no longer those of their event; only where all seams are proved. */
  changed: number;
  /** Whether records of a response lie apart. */
  apart: boolean;
}

/** The decision on a response when its page was read. */
interface Verdict {
  decision: Decision;
  entry: LedgerEntry | undefined;
}

/** The pages that a walk reads, and what for. */
export interface Reading {
  order: Order;
  from: number;
  /** See `WalkOptions`. */
  proves: "contents" | "coverage";
  /** Ids that it meets. A full pass also has those that its earlier slices have met: only these are known then (R7). */
  ids?: PassIds | undefined;
  isPass?: boolean;
  /** Called before anything is entered into the ledger. */
  beforeWrites?: () => Promise<void>;
}

/** The responses that a walk has met, as it knows them. */
export interface Dealing extends Reading {
  verdicts: Map<number, Verdict>;
  /** Handed out or noted by this walk. */
  dealt: Set<number>;
}

export function beginDealing(reading: Reading): Dealing {
  return { ...reading, verdicts: new Map(), dealt: new Set() };
}

const isUnsettled = (verdict: Verdict | undefined): boolean => verdict !== undefined && verdict.decision !== "settled";

/** Whether a response has still to be dealt with. */
export function isUndealt({ dealt, verdicts }: Dealing, responseId: number): boolean {
  return !dealt.has(responseId) && isUnsettled(verdicts.get(responseId));
}

function judgement({ mark, ports, source, start }: PollContext, proves: "contents" | "coverage"): Judgement {
  return {
    start,
    // fault: books-before-any
    hasBooks: mark.books !== undefined,
    now: ports.clock.now(),
    looksAtHeld: proves === "coverage",
    replaces: source.events.has("response.updated"),
    backfill: placeOf(mark)?.backfill,
  };
}

/** Judges the responses of a page that was just read. */
export async function judgePage(ctx: PollContext, runs: Run[], dealing: Dealing): Promise<void> {
  const { verdicts, proves } = dealing;
  const by = judgement(ctx, proves);
  const entries = await entriesOf(ctx, runs);
  const page = new Map<number, Verdict>();
  for (const run of runs) {
    const entry = entries.get(run.responseId);
    const verdict: Verdict = { decision: decide(run, entry, by), entry };
    // Where it stands in two places on the page, the one that has still to be dealt with counts.
    if (!isUnsettled(page.get(run.responseId)) || isUnsettled(verdict)) page.set(run.responseId, verdict);
  }
  for (const [responseId, verdict] of page) {
    verdicts.delete(responseId);
    verdicts.set(responseId, verdict);
  }
  forgetOldest(verdicts);
}

/** Deals with responses that have ended: notes those that need no event, hands out those that need one. */
export async function deal(
  ctx: PollContext,
  { pieces, moved }: Pick<WalkStep, "pieces" | "moved">,
  orphans: ReadRecord[],
  dealing: Dealing,
): Promise<Dealt> {
  const { verdicts, dealt, ids, proves } = dealing;
  const suspects: number[] = [];
  const by = judgement(ctx, proves);
  const done: Dealt = { toEmit: [], found: 0, quarantined: 0, left: 0, changed: 0, apart: false };
  const entries: LedgerEntry[] = [];
  for (const piece of pieces) {
    const run: Run = { responseId: piece.responseId, records: piece.records };
    if (run.records.length > 1) ctx.mark.contents.severalSeen = true;
    // Records lie apart where a pass meets a response once more, far behind the place at which this slice has begun.
    const isMetElsewhere =
      dealing.isPass === true && piece.page > dealing.from + 1 && ids?.has(run.responseId) === true && !moved;
    done.apart ||= piece.apart || isMetElsewhere;
    if (dealt.has(run.responseId)) continue;
    const entry = verdicts.get(run.responseId)?.entry;
    const decision = decide(run, entry, by);
    ids?.add(run.responseId);
    // Its event has more records than its page shows together.
    const isLess = entry?.state === "emitted" && run.records.length < (entry.count ?? 0);
    if (decision === "settled" && isWhole(piece) && isLess) compareAnew(ctx.mark.contents);
    // On the first page of a slice nobody knows what stands before it.
    const isSure = isWhole(piece) && (piece.page > dealing.from || dealing.from === 1);
    const differs = decision === "settled" && isSure ? differences(run, entry) : [];
    if (differs.length > 0 && isMetElsewhere) suspects.push(run.responseId);
    else if (isSure && entry !== undefined) {
      const changed = changedForGood(ctx, dealing, piece, { run, entry, differs });
      if (changed !== undefined) {
        done.toEmit.push(changed);
        dealt.add(run.responseId);
      } else if (differs.length > 0) done.changed += 1;
    }
    if (decision === "settled") continue;
    if (decision === "quarantine") {
      // A part is enough: no other record makes readable what one of them does not say.
      const kept = await orLeave(ctx, () => quarantined(ctx, run));
      if (kept === undefined) done.left += 1;
      else entries.push(kept);
      done.quarantined += kept === undefined ? 0 : 1;
      done.found += kept === undefined ? 0 : 1;
    } else if (decision === "emit" || decision === "replace") {
      const replaces = decision === "replace" && entry !== undefined ? grown(run, entry, by.now) : undefined;
      // Of one that goes out operation 9 can be asked, and shows what it is worth.
      if (piece.apart) noteApart(ctx.mark.contents);
      done.toEmit.push({ run, proof: proofOf(piece), replaces });
    } else {
      entries.push(noted(ctx, run));
      if (decision !== "open") done.found += 1;
    }
    dealt.add(run.responseId);
  }
  noteSuspects(ctx.mark.contents, suspects);
  const held = entries.filter(({ state }) => state === "held").length;
  if (held > 0) ctx.ports.observe({ kind: "held", surveyId: ctx.surveyId, count: held });
  const unfit = await orphanEntries(ctx, orphans);
  done.left += unfit.left;
  done.quarantined += unfit.entries.length;
  entries.push(...unfit.entries);
  forgetOldest(dealt);
  if (entries.length > 0) {
    await dealing.beforeWrites?.();
    await holdLease(ctx);
    await ctx.ports.state.putEntries(ctx.surveyId, entries);
  }
  noteFound(ctx.mark, done.found);
  return done;
}

/** A response of which a change holds still: its event is to be replaced. Where records lie apart no page tells that. */
function changedForGood(
  { mark, ports, source }: PollContext,
  { order, proves }: Dealing,
  piece: Piece,
  { run, entry, differs }: { run: Run; entry: LedgerEntry; differs: Change[] },
): Found | undefined {
  const { contents, changes = [] } = mark;
  const id = run.responseId;
  if (!source.events.has("response.updated")) return undefined;
  if (contents.apart !== undefined || contents.suspects !== undefined) return undefined;
  if (differs.length === 0 && !changes.some((one) => one.id === id)) return undefined;
  const count = run.records.length;
  const sight = { id, digest: digestOf(run), count, order, page: piece.page, at: ports.clock.now() };
  const changed = noteChange(mark, sight, differs);
  // fault: change-untold
  if (changed === undefined) return undefined;
  // Of one that has lost records a page tells only where its neighbours were proved, too, whether these are all.
  const isFewer = count < (entry.count ?? 0);
  const proof = isFewer && proves === "contents" ? "nothing" : proofOf(piece);
  return { run, proof, replaces: { entry, ...changed } };
}

function proofOf(piece: Piece): Proof {
  if (!isWhole(piece)) return "nothing";
  return piece.across ? "both pages" : "its page";
}

async function entriesOf(ctx: PollContext, runs: Run[]): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const found = new Map<LedgerEntry["id"], LedgerEntry>();
  const ids = [...new Set(runs.map((run) => run.responseId))];
  for (let i = 0; i < ids.length; i += 100) {
    const entries = await ctx.ports.state.entries(ctx.surveyId, ids.slice(i, i + 100));
    for (const [id, entry] of entries) found.set(id, entry);
  }
  return found;
}
