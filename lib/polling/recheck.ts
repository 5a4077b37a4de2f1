import { ask, includesShown, isFull, isTrusted, mayAnswer } from "./contents/single-read.ts";
import type { Allowance, PollContext } from "./context.ts";
import { holdLease } from "./lease.ts";
import { firstSeenBy, nextRecheck, noteHeld } from "./ledger/entries.ts";
import type { LedgerEntry } from "./model/ledger-entry.ts";
import { addCounts, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { classOf, type Run, readRecord } from "./model/records.ts";
import { emitFound } from "./publish/emit.ts";
import { fromRead } from "./publish/response.ts";

/** Responses asked about at once. */
const AT_ONCE = 10;

/** Open ones may have been completed; of held ones operation 9 may give the contents by now. */
type Kind = "open" | "held";

/** The kinds of which the single read may tell something: held ones only where its contents are used. */
function kindsOf(ctx: PollContext): Kind[] {
  if (!mayAnswer(ctx)) return [];
  return isTrusted(ctx) ? ["open", "held"] : ["open"];
}

/** Epoch milliseconds at which operation 9 is to be asked about a response of this survey next. */
export async function nextRecheckOf(ctx: PollContext): Promise<number> {
  const { state } = ctx.ports;
  const due = await Promise.all(kindsOf(ctx).map((kind) => state.nextDue(ctx.surveyId, kind)));
  return Math.min(Number.POSITIVE_INFINITY, ...due.filter((at) => at !== undefined));
}

/** The outcome of re-checks. `sought` tells of completed responses that only pages can show. */
export interface Rechecked {
  counts: PollCounts;
  sought: number;
}

/** Asks operation 9 for responses whose time has come. */
export async function recheck(ctx: PollContext, allowance: Allowance): Promise<Rechecked> {
  const result: Rechecked = { counts: noCounts(), sought: 0 };
  for (const kind of kindsOf(ctx)) await recheckKind(ctx, allowance, kind, result);
  return result;
}

async function recheckKind(ctx: PollContext, allowance: Allowance, kind: Kind, result: Rechecked): Promise<void> {
  const { state, clock } = ctx.ports;
  const asked = new Set<LedgerEntry["id"]>();
  while (allowance.left() > 0 && clock.now() <= ctx.deadline) {
    const most = Math.min(AT_ONCE, Math.ceil(allowance.left()));
    const due = (await state.due(ctx.surveyId, kind, clock.now(), AT_ONCE)).filter(({ id }) => !asked.has(id));
    if (due.length === 0) return;
    const now = await state.entries(
      ctx.surveyId,
      due.map(({ id }) => id),
    );
    for (const { id } of due) asked.add(id);
    // The index lags behind: what went out a moment ago may still stand in it.
    const some = due.filter(({ id }) => now.get(id)?.state === kind).slice(0, most);
    allowance.spend(some.length);
    const answers = await Promise.all(some.map(async (entry) => ({ entry, run: await runOf(ctx, entry) })));
    const completed = answers.flatMap(({ entry, run }) => (run !== undefined && isGiven(entry, run) ? [run] : []));
    // What it does not tell of the response as a whole only pages can.
    const given = isTrusted(ctx) ? completed.filter(({ records }) => isFull(records.map(({ raw }) => raw))) : [];
    const found = given.map((run) => fromRead(ctx, run, { proof: "single read", origin: "recheck" }));
    addCounts(result.counts, await emitFound(ctx, found));
    result.sought += completed.length - given.length;
    const left = answers.filter(({ run }) => run === undefined || !given.includes(run));
    if (kind === "open") await putBack(ctx, left);
    else if (left.length > 0)
      await noteHeld(
        ctx,
        left.flatMap(({ entry: { id } }) => (typeof id === "number" ? [{ responseId: id, shown: [] }] : [])),
      );
  }
}

/** Whether operation 9 has given a completed response, with all the answers that pages have shown of a held one. */
function isGiven({ shown = [] }: LedgerEntry, run: Run): boolean {
  const records = run.records.map(({ raw }) => raw);
  return classOf(run) === "completed" && includesShown(records, shown);
}

async function runOf(ctx: PollContext, { id }: LedgerEntry): Promise<Run | undefined> {
  if (typeof id !== "number") return undefined;
  const records = await ask(ctx, id);
  return records === undefined ? undefined : { responseId: id, records: records.map((record) => readRecord(record)) };
}

/** Open ones are looked at again later. */
async function putBack(ctx: PollContext, left: { entry: LedgerEntry; run: Run | undefined }[]): Promise<void> {
  if (left.length === 0) return;
  const now = ctx.ports.clock.now();
  const entries = left.map(({ entry, run }) => {
    const firstSeen = firstSeenBy(ctx, run, entry.firstSeen ?? now);
    return { ...entry, firstSeen, nextCheck: nextRecheck(ctx, firstSeen, now) };
  });
  await holdLease(ctx);
  await ctx.ports.state.putEntries(ctx.surveyId, entries);
}
