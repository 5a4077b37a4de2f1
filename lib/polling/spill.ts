import type { PollContext } from "./context.ts";
import type { Repair } from "./emit.ts";
import { privateRecord } from "./privacy.ts";
import { classOf, type ReadRecord, type Run, readRecord } from "./records.ts";
import type { LedgerEntry, Pass } from "./state-types.ts";

// Records of responses that lie apart, in the vault until a full pass has met all of them: never held in memory.

interface Piece {
  responseId: number;
  records: unknown[];
}

/** Pieces by page: where a later slice has read a page again, its pieces take the place of those read first. */
type Spilled = [page: number, pieces: Piece[]][];

/** Responses joined by a full pass: new ones, and ones whose events were short. */
export interface Joined {
  runs: Run[];
  repairs: Repair[];
}

/** Why the ledger holds one as open that is completed: its records have been laid aside. */
export const UNPROVED = "unproved";

/** Pieces joined at once: so many are held in memory. */
const AT_ONCE = 5_000;

/** Lays the pieces of one slice aside, and notes in the ledger since when their responses are known. */
export async function spill(ctx: PollContext, pass: Pass, runs: Map<number, Run[]>): Promise<void> {
  if (runs.size === 0) return;
  const { state, vault, clock } = ctx.ports;
  const spilled: Spilled = [...runs].map(([page, some]) => [
    page,
    some.map(({ responseId, records }) => ({
      responseId,
      records: records.map((record) => privateRecord(record.raw, ctx.source.privacy)),
    })),
  ]);
  const ids = [...new Set([...runs.values()].flat().map(({ responseId }) => responseId))];
  for (let i = 0; i < ids.length; i += 100) {
    const some = ids.slice(i, i + 100);
    const known = await state.entries(ctx.surveyId, some);
    const fresh = some.flatMap((id): LedgerEntry[] => {
      const entry = known.get(id) ?? { id, state: "open", firstSeen: clock.now() };
      return entry.state === "open" && entry.reason !== UNPROVED ? [{ ...entry, reason: UNPROVED }] : [];
    });
    if (fresh.length > 0) await state.putEntries(ctx.surveyId, fresh);
  }
  const number = pass.spilled?.length ?? 0;
  const key = `pass/${ctx.source.name}/${ctx.surveyId}/${pass.startedAt}-${ctx.lease.fence}-${number}.json`;
  await vault.put(key, spilled);
  pass.spilled = [...(pass.spilled ?? []), key];
}

/**
 * The responses of a pass, joined, some at a time. Only where no page has moved are they sure to be whole. Ends with
 * undefined when something of what was laid aside is gone.
 */
export async function* joinSpilled(ctx: PollContext, pass: Pass): AsyncGenerator<Joined | undefined> {
  const keys = pass.spilled ?? [];
  const late = new Set(pass.late);
  const latest = new Map<number, string>();
  let count = 0;
  for (const key of keys) {
    const spilled = await read(ctx, key);
    if (spilled === undefined) return yield undefined;
    for (const [page, pieces] of spilled) {
      latest.set(page, key);
      count += pieces.length;
    }
  }
  const parts = Math.max(1, Math.ceil(count / AT_ONCE));
  for (let part = 0; part < parts; part += 1) {
    const joined = new Map<number, ReadRecord[][]>();
    for (const key of keys) {
      const spilled = await read(ctx, key);
      if (spilled === undefined) return yield undefined;
      const current = spilled.filter(([page]) => latest.get(page) === key);
      for (const { responseId, records } of current.flatMap(([, pieces]) => pieces)) {
        if (responseId % parts !== part || late.has(responseId)) continue;
        joined.set(responseId, [...(joined.get(responseId) ?? []), records.map(readRecord)]);
      }
    }
    yield await ofLedger(ctx, joined);
  }
}

async function ofLedger(ctx: PollContext, pieces: Map<number, ReadRecord[][]>): Promise<Joined> {
  const joined: Joined = { runs: [], repairs: [] };
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  const ids = [...pieces.keys()];
  for (let i = 0; i < ids.length; i += 100) {
    for (const [id, entry] of await ctx.ports.state.entries(ctx.surveyId, ids.slice(i, i + 100)))
      entries.set(id, entry);
  }
  for (const [responseId, parts] of pieces) {
    const entry = entries.get(responseId);
    const run: Run = { responseId, records: parts.flat() };
    if (entry?.state === "emitted") {
      const isShort = run.records.length > (entry.count ?? 0);
      if (isShort) joined.repairs.push({ run, entry });
      // A quarantined one that was spilled has become readable.
    } else if (classOf(run) === "completed" && !isSettled(entry)) joined.runs.push(run);
  }
  return joined;
}

function isSettled(entry: LedgerEntry | undefined): boolean {
  if (entry?.state === "quarantined") return entry.reason?.startsWith("bus:") === true;
  return entry?.state === "waiting" || entry?.state === "before-floor";
}

export async function dropSpilled(ctx: PollContext, { spilled = [] }: Pass): Promise<void> {
  await Promise.all(spilled.map((key) => ctx.ports.vault.delete(key).catch(() => undefined)));
}

async function read(ctx: PollContext, key: string): Promise<Spilled | undefined> {
  const spilled = await ctx.ports.vault.get(key);
  return Array.isArray(spilled) ? (spilled as Spilled) : undefined;
}
