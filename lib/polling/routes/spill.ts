import { createLayout, type PlacedRun } from "../contents/layout.ts";
import type { PollContext } from "../context.ts";
import { mayBeJoined, noteHeld, UNPROVED } from "../ledger/held.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Pass } from "../model/mark.ts";
import { privateRecord } from "../model/privacy.ts";
import { classOf, type Run, readRecord } from "../model/records.ts";
import type { Repair } from "../publish/emit.ts";

// Records of responses that lie apart, in the vault until a full pass has met all of them: never held in memory.

interface Piece {
  responseId: number;
  records: unknown[];
}

/** Pieces by page: where a later slice has read a page again, its pieces take the place of those read first. */
type Pages = [page: number, pieces: Piece[]][];

/** What one slice has laid aside, and the key of what the slice before it has: the mark does not grow with the list. */
interface Spilled {
  before: string[];
  pages: Pages;
}

/** Responses joined by a full pass: new ones, and ones whose events were short. */
export interface Joined {
  runs: Run[];
  repairs: Repair[];
  /** Responses left to the next pass: they were not held yet when this one began. */
  left: number;
}

/** Pieces joined at once: so many are held in memory. */
const AT_ONCE = 5_000;

/** Lays the pieces of one slice aside, and notes in the ledger since when their responses are known. */
export async function spill(ctx: PollContext, pass: Pass, runs: Map<number, Run[]>): Promise<void> {
  // Nothing of a page need be kept but that it takes the place of an earlier reading.
  const kept = [...runs].filter(([page, some]) => some.length > 0 || page <= pass.page);
  if (kept.length === 0) return;
  const pages: Pages = kept.map(([page, some]) => [
    page,
    some.map(({ responseId, records }) => ({
      responseId,
      records: records.map((record) => privateRecord(record.raw, ctx.source.privacy)),
    })),
  ]);
  const completed = kept.flatMap(([, some]) => some).filter((run) => classOf(run) === "completed");
  await noteHeld(
    ctx,
    completed.map(({ responseId }) => responseId),
    pass.startedAt,
  );
  pass.spills = (pass.spills ?? 0) + 1;
  const key = `pass/${ctx.source.name}/${ctx.surveyId}/${pass.startedAt}-${ctx.lease.fence}-${pass.spills}.json`;
  const spilled: Spilled = { before: pass.spilled ?? [], pages };
  await ctx.ports.vault.put(key, spilled);
  pass.spilled = [key];
}

/**
 * The responses of a pass, joined, some at a time. Only where no page has moved are they sure to be whole. Ends with
 * undefined when something of what was laid aside is gone.
 */
export async function* joinSpilled(ctx: PollContext, pass: Pass): AsyncGenerator<Joined | undefined> {
  for await (const pieces of piecesOf(ctx, pass)) yield pieces && (await ofLedger(ctx, pass, pieces));
}

/**
 * Whether what was laid aside shows that records stand together, though the list may have moved: the pass has met each
 * record that was there all the time, so that of responses that lie apart it has met the parts.
 */
export async function standTogether(ctx: PollContext, pass: Pass): Promise<boolean> {
  const layout = createLayout();
  for await (const pieces of piecesOf(ctx, pass)) {
    if (pieces === undefined) return false;
    const entries = await entriesOf(ctx, [...pieces.keys()]);
    for (const [responseId, runs] of pieces) layout.add(runs, mayBeJoined(entries.get(responseId), pass));
  }
  return layout.isTogether();
}

/** All pieces of some responses at a time, by id and in the order of their pages; undefined when some are gone. */
async function* piecesOf(ctx: PollContext, pass: Pass): AsyncGenerator<Map<number, PlacedRun[]> | undefined> {
  const keys: string[] = [];
  const latest = new Map<number, string>();
  let count = 0;
  for await (const [key, spilled] of newestFirst(ctx, pass)) {
    if (spilled === undefined) return yield undefined;
    keys.unshift(key);
    for (const [page, pieces] of spilled.pages) {
      if (!latest.has(page)) latest.set(page, key);
      count += pieces.length;
    }
  }
  const parts = Math.max(1, Math.ceil(count / AT_ONCE));
  for (let part = 0; part < parts; part += 1) {
    const found = new Map<number, PlacedRun[]>();
    for (const key of keys) {
      const spilled = await read(ctx, key);
      if (spilled === undefined) return yield undefined;
      const current = spilled.pages.filter(([page]) => latest.get(page) === key);
      for (const [page, pieces] of current) {
        for (const { responseId, records } of pieces) {
          if (responseId % parts !== part) continue;
          const placed = { page, records: records.map((record) => readRecord(record, ctx.volatile)) };
          found.set(responseId, [...(found.get(responseId) ?? []), placed]);
        }
      }
    }
    yield found;
  }
}

async function ofLedger(ctx: PollContext, pass: Pass, pieces: Map<number, PlacedRun[]>): Promise<Joined> {
  const joined: Joined = { runs: [], repairs: [], left: 0 };
  const entries = await entriesOf(ctx, [...pieces.keys()]);
  for (const [responseId, runs] of pieces) {
    const entry = entries.get(responseId);
    const run: Run = { responseId, records: runs.flatMap(({ records }) => records) };
    if (entry?.state === "emitted") {
      // Of any other one that has gone out meanwhile no more may have been laid aside than what was met before that.
      const isShort = pass.short?.includes(responseId) === true && run.records.length > (entry.count ?? 0);
      if (isShort) joined.repairs.push({ run, entry });
    } else if (classOf(run) === "completed") {
      if (mayBeJoined(entry, pass)) joined.runs.push(run);
      else if (entry?.reason === UNPROVED) joined.left += 1;
    }
  }
  return joined;
}

async function entriesOf(ctx: PollContext, ids: number[]): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  for (let i = 0; i < ids.length; i += 100) {
    for (const [id, entry] of await ctx.ports.state.entries(ctx.surveyId, ids.slice(i, i + 100)))
      entries.set(id, entry);
  }
  return entries;
}

export async function dropSpilled(ctx: PollContext, pass: Pass): Promise<void> {
  const keys: string[] = [];
  try {
    for await (const [key] of newestFirst(ctx, pass)) keys.push(key);
  } catch {
    // What cannot be named now goes by the bucket's lifecycle.
  }
  await Promise.all(keys.map((key) => ctx.ports.vault.delete(key).catch(() => undefined)));
}

/** All that was laid aside, each with its key; undefined where it is gone, and what lay before that is not found. */
async function* newestFirst(
  ctx: PollContext,
  { spilled = [] }: Pass,
): AsyncGenerator<[key: string, spilled: Spilled | undefined]> {
  const next = [...spilled];
  for (let key = next.pop(); key !== undefined; key = next.pop()) {
    const found = await read(ctx, key);
    yield [key, found];
    next.push(...(found?.before ?? []));
  }
}

async function read(ctx: PollContext, key: string): Promise<Spilled | undefined> {
  const spilled = await ctx.ports.vault.get(key);
  // The pages alone: by a version that kept all keys in the mark.
  if (Array.isArray(spilled)) return { before: [], pages: spilled as Pages };
  return typeof spilled === "object" && spilled !== null ? (spilled as Spilled) : undefined;
}
