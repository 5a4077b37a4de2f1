import type { PassIds } from "../books/pass-ids.ts";
import type { Proof } from "../contents/prove.ts";
import { isSingleOnly, noteScattered } from "../contents/single-read.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { holdLease } from "../lease.ts";
import { differences, grown, type Replaced, seeChange } from "../ledger/changes.ts";
import { type Decision, decide, type Judgement } from "../ledger/judge.ts";
import { noted, orphanEntries, quarantined } from "../ledger/note-entries.ts";
import { FORGOTTEN, type LedgerEntry } from "../model/ledger-entry.ts";
import { noteFound } from "../model/mark.ts";
import { placeOf } from "../model/phase.ts";
import type { ReadRecord, Run } from "../model/records.ts";
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
  /** Called before anything is entered into the ledger. */
  beforeWrites?: () => Promise<void>;
}

/** The responses that a walk has met, as it knows them. */
export interface Dealing extends Reading {
  verdicts: Map<number, Verdict>;
  /** Handed out or noted by this walk. */
  dealt: Set<number>;
  /** Those that ended in one round of pages, which all stood at one moment. */
  round: { number: number | undefined; met: Set<number> };
}

export function beginDealing(reading: Reading): Dealing {
  return { ...reading, verdicts: new Map(), dealt: new Set(), round: { number: undefined, met: new Set() } };
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
  { pieces, round }: Pick<WalkStep, "pieces" | "round">,
  orphans: ReadRecord[],
  dealing: Dealing,
): Promise<Dealt> {
  const { verdicts, dealt, ids, proves, order } = dealing;
  const { ports, mark, surveyId, learned } = ctx;
  const by = judgement(ctx, proves);
  const done: Dealt = { toEmit: [], found: 0, quarantined: 0, left: 0, changed: 0 };
  const entries: LedgerEntry[] = [];
  const emit = (piece: Piece, proof: Proof, replaces?: Replaced): void => {
    const { responseId, records, page } = piece;
    done.toEmit.push({ run: { responseId, records }, proof, replaces, seen: { page, order } });
    dealt.add(responseId);
  };
  for (const piece of pieces) {
    if (isMetTwice(dealing, piece, round)) await noteScattered(ctx);
    const run: Run = { responseId: piece.responseId, records: piece.records };
    if (dealt.has(run.responseId)) continue;
    const entry = verdicts.get(run.responseId)?.entry;
    const decision = decide(run, entry, by);
    ids?.add(run.responseId);
    if (decision === "settled") {
      if (entry?.state !== "emitted" || entry.reason === FORGOTTEN || !by.replaces) continue;
      if (isSingleOnly(ctx)) {
        // Once a full read compares what went out before that was known.
        const isOlder = (mark.books?.startedAt ?? 0) < (learned.scattered ?? 0);
        if (isOlder && proves === "coverage") emit(piece, "nothing", grown(run, entry, by.now));
        continue;
      }
      // On the first page of a slice nobody knows what stands before it.
      const isSure = isWhole(piece) && (piece.page > dealing.from || dealing.from === 1);
      const differs = isSure ? differences(run, entry) : [];
      if (differs.length === 0) continue;
      const seen = seeChange(run, entry, differs, { at: by.now, isFull: proves === "coverage" });
      // fault: change-untold
      if (seen.kind === "told") emit(piece, proofOf(piece), seen.replaces);
      else done.changed += 1;
      if (seen.kind === "noted") entries.push(seen.entry);
    } else if (decision === "quarantine") {
      // A part is enough: no other record makes readable what one of them does not say.
      const kept = await orLeave(ctx, () => quarantined(ctx, run));
      if (kept === undefined) done.left += 1;
      else entries.push(kept);
      done.quarantined += kept === undefined ? 0 : 1;
      done.found += kept === undefined ? 0 : 1;
    } else if (decision === "emit") emit(piece, proofOf(piece));
    else if (decision === "replace" && entry !== undefined) emit(piece, proofOf(piece), grown(run, entry, by.now));
    else {
      entries.push(noted(ctx, run));
      if (decision !== "open") done.found += 1;
    }
    if (decision !== "settled") dealt.add(run.responseId);
  }
  const unfit = await orphanEntries(ctx, orphans);
  done.left += unfit.left;
  done.quarantined += unfit.entries.length;
  entries.push(...unfit.entries);
  forgetOldest(dealt);
  if (entries.length > 0) {
    await dealing.beforeWrites?.();
    await holdLease(ctx);
    await ports.state.putEntries(surveyId, entries);
  }
  noteFound(mark, done.found);
  return done;
}

/** Whether a response stands on two pages of one round that are no neighbours: its records are scattered (R12). */
function isMetTwice({ round, proves }: Dealing, piece: Piece, number: number | undefined): boolean {
  if (proves === "contents" || number === undefined || !isWhole(piece)) return false;
  if (number !== round.number) Object.assign(round, { number, met: new Set() });
  const isTwice = round.met.has(piece.responseId);
  round.met.add(piece.responseId);
  return isTwice;
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
