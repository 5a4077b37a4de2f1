import type { PassBooks } from "./books.ts";
import { holdLease, type PollContext } from "./context.ts";
import { later } from "./dates.ts";
import { keep } from "./kept-records.ts";
import type { Order } from "./ports.ts";
import { privateRecord } from "./privacy.ts";
import { classOf, digestOf, type ReadRecord, type Run } from "./records.ts";
import { type ScanEnd, type ScanStep, scan, type Verdict } from "./scan.ts";
import { type Decision, decide, newestDate } from "./settle.ts";
import type { LedgerEntry } from "./state-types.ts";

const verdictOf: Record<Decision, Verdict> = {
  settled: "settled",
  old: "settled",
  "before-floor": "note",
  open: "note",
  emit: "whole",
  quarantine: "whole",
};

/** One page of a survey, judged by the ledger. */
export interface SurveyStep {
  page: number;
  /** Completed responses that are whole and have to go out. */
  toEmit: Run[];
  /** Whether anything on the page was new. */
  news: boolean;
  /** How many new responses it showed, noted ones included. */
  found: number;
}

/**
 * Scans a survey's pages, judging each response by the ledger. What needs no event (open ones, those before the floor,
 * unreadable ones) is written to the ledger here; what needs one is handed out.
 */
export async function* surveyScan(
  ctx: PollContext,
  order: Order,
  from: number,
  books?: PassBooks,
): AsyncGenerator<SurveyStep, ScanEnd> {
  const { service, state, observe, clock } = ctx.ports;
  const steps = scan({
    from,
    shortPageEnds: ctx.shortPageEnds,
    read: async (page) => {
      observe({ kind: "page", surveyId: ctx.surveyId, page, order });
      return service.page(ctx.surveyId, page, order);
    },
    judge: async (runs) => {
      const now = clock.now();
      const newest = newestDate(runs, now);
      ctx.newestSeen = later(ctx.newestSeen, newest);
      raiseFloor(ctx, newest);
      const floor = ctx.mark.floor ?? { at: null, inclusive: true };
      const entries = await entriesOf(ctx, runs);
      const verdicts = new Map<number, Verdict>();
      for (const run of runs) {
        const entry = entries.get(run.responseId);
        const decision = decide(run, entry, { floor, firstPassDone: ctx.mark.firstPassDone, now });
        verdicts.set(run.responseId, verdictOf[decision]);
        books?.count(decision, entry?.state);
      }
      return verdicts;
    },
  });

  for (;;) {
    const next = await steps.next();
    if (next.done) {
      learn(ctx, next.value, from === 1);
      return next.value;
    }
    yield await settleStep(next.value);
  }

  async function settleStep(step: ScanStep): Promise<SurveyStep> {
    const unreadable = step.whole.filter((run) => classOf(run) === "unreadable");
    const entries: LedgerEntry[] = [
      ...step.noted.map((run) => notedEntry(run, clock.now())),
      ...(await Promise.all(unreadable.map((run) => quarantineRun(ctx, run)))),
      ...(await newOrphans(ctx, step.orphans)),
    ];
    if (entries.length > 0) {
      await holdLease(ctx);
      await state.putEntries(ctx.surveyId, entries);
    }
    const toEmit = step.whole.filter((run) => !unreadable.includes(run));
    return { page: step.page, toEmit, news: step.news, found: step.whole.length + step.noted.length };
  }
}

/** What a scan to the end of the list has shown. */
function learn(ctx: PollContext, end: ScanEnd, fullPass: boolean): void {
  ctx.shortPageEnds ||= end.shortPageEnds;
  if (end.scattered.length > 0) ctx.mark.confirmation.apart = true;
  else if (fullPass && end.deferred.length === 0) ctx.mark.contiguous = true;
}

/** During a first pass over a list that is not ordered by completion, "now" is the largest date met so far. */
function raiseFloor(ctx: PollContext, newest: string | undefined): void {
  const { floor } = ctx.mark;
  if (!ctx.mark.floorRises || floor === undefined || newest === undefined) return;
  const raised = later(floor.at ?? "", newest) ?? newest;
  floor.at = ctx.sourceFloor !== undefined && ctx.sourceFloor < raised ? ctx.sourceFloor : raised;
}

async function entriesOf(ctx: PollContext, runs: Run[]): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const found = new Map<LedgerEntry["id"], LedgerEntry>();
  const ids = runs.map((run) => run.responseId);
  for (let i = 0; i < ids.length; i += 100) {
    for (const [id, entry] of await ctx.ports.state.entries(ctx.surveyId, ids.slice(i, i + 100))) found.set(id, entry);
  }
  return found;
}

function notedEntry(run: Run, now: number): LedgerEntry {
  if (classOf(run) !== "open") return { id: run.responseId, state: "before-floor" };
  return { id: run.responseId, state: "open", firstSeen: now };
}

async function quarantineRun(ctx: PollContext, run: Run): Promise<LedgerEntry> {
  const digest = digestOf(run);
  const reason = "unreadable completed";
  ctx.ports.observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId: run.responseId, reason });
  const records = run.records.map((record) => privateRecord(record.raw, ctx.source.privacy));
  const kept = await keep(ctx, run.responseId, digest, { records, details: {} });
  const firstSeen = ctx.ports.clock.now();
  return { id: run.responseId, state: "quarantined", digest, count: records.length, reason, firstSeen, ...kept };
}

/** Records without a readable responseId are quarantined one by one; the rest of their page goes on. */
async function newOrphans(ctx: PollContext, orphans: ReadRecord[]): Promise<LedgerEntry[]> {
  if (orphans.length === 0) return [];
  const known = await ctx.ports.state.entries(ctx.surveyId, [...new Set(orphans.map(orphanId))].slice(0, 100));
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  for (const orphan of orphans) {
    const id = orphanId(orphan);
    if (known.has(id) || entries.has(id)) continue;
    const reason = "unreadable responseId";
    const records = [privateRecord(orphan.raw, ctx.source.privacy)];
    const kept = await keep(ctx, id, orphan.digest, { records, details: {} });
    entries.set(id, {
      id,
      state: "quarantined",
      digest: orphan.digest,
      reason,
      firstSeen: ctx.ports.clock.now(),
      ...kept,
    });
    ctx.ports.observe({ kind: "quarantined", surveyId: ctx.surveyId, responseId: undefined, reason });
  }
  return [...entries.values()];
}

const orphanId = (orphan: ReadRecord): LedgerEntry["id"] => `record-${orphan.digest}`;
