import { endsWork, failureOf, LeaseLostError } from "../errors.ts";
import { holdLease, LEASE_DURATION, underLease } from "../lease.ts";
import { isOld } from "../ledger/judge.ts";
import { takeOut, withoutRecords } from "../ledger/kept-records.ts";
import type { SurveyRow } from "../model/account.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Lease } from "../model/mark.ts";
import { classOf, readRecord } from "../model/records.ts";
import type { PollingSource } from "../model/source.ts";
import { selected } from "../model/source.ts";
import type { Ports } from "../ports.ts";

export interface RedriveRequest {
  ports: Ports;
  source: Pick<PollingSource, "surveys">;
  surveyIds: number[];
  /** Names whoever runs this: the holder of its leases. */
  owner: string;
  /** Epoch milliseconds after which nothing new is begun. */
  deadline: number;
}

/** The outcomes of the quarantined and refused responses of one survey. */
export interface SurveyRedrive {
  surveyId: number;
  /** Busy: someone else holds the lease. Unfinished: the time was up. Not polled: the source leaves it out, so that nothing put back would ever go out. */
  outcome: "done" | "unfinished" | "busy" | "failed" | "not polled";
  /** Put back on their way: they go out at the next tick, or once they are read again where their records are gone. */
  putBack: number;
  left: {
    /** Still not readable, or of a survey whose records may lie apart: only the list can tell all that belongs to them. */
    unreadable: number;
    /** Never readable, and their records were dropped after `retention.quarantine`. */
    withoutRecords: number;
    /** Readable by now, and completed before the floor: the next walk that meets them settles them. */
    beforeFloor: number;
    /** Unreadable in the table or the vault: the first failure stands in `failure`. */
    failed: number;
  };
  /** Code and message of the failure; nothing personal. */
  failure?: { code: string; message: string };
}

const WRITTEN_AT_ONCE = 25;

/**
 * Puts responses whose records are still kept back on their way: those that the bus has refused, and quarantined ones that can be read by now. A survey that fails
 * does not keep it from the others.
 */
export async function redrive(request: RedriveRequest): Promise<SurveyRedrive[]> {
  const { ports, source, surveyIds, deadline } = request;
  const results: SurveyRedrive[] = [];
  for (const surveyId of surveyIds) {
    const result: SurveyRedrive = {
      surveyId,
      outcome: "done",
      putBack: 0,
      left: { unreadable: 0, withoutRecords: 0, beforeFloor: 0, failed: 0 },
    };
    results.push(result);
    if (!selected(surveyId, source.surveys)) result.outcome = "not polled";
    else if (ports.clock.now() > deadline) result.outcome = "unfinished";
    else await redriveSurvey(request, result);
  }
  await makeDue(
    ports,
    results.filter(({ putBack }) => putBack > 0).map(({ surveyId }) => surveyId),
  );
  return results;
}

/** A worker on a survey under its lease. */
interface SurveyHolder {
  ports: Ports;
  lease: Lease;
  lost: unknown;
}

async function redriveSurvey({ ports, owner, deadline }: RedriveRequest, result: SurveyRedrive): Promise<void> {
  const { surveyId } = result;
  let lease: Lease | undefined;
  try {
    lease = await ports.state.acquire(surveyId, owner, LEASE_DURATION);
    if (lease === undefined) {
      result.outcome = "busy";
      return;
    }
    const holder = { ports, lease, lost: undefined };
    await underLease(holder, () => putBack(holder, deadline, result));
  } catch (error) {
    result.outcome = error instanceof LeaseLostError ? "busy" : "failed";
    if (result.outcome === "failed") result.failure = failureOf(error);
  }
  if (lease === undefined) return;
  // A lease that is lost by now belongs to another process, and any other one runs out.
  await ports.state.release(lease, lease.mark).catch(() => undefined);
}

async function putBack(holder: SurveyHolder, deadline: number, result: SurveyRedrive): Promise<void> {
  const { state, clock } = holder.ports;
  const { surveyId } = result;
  let from: string | undefined;
  const isOver = (): boolean => {
    if (clock.now() <= deadline) return false;
    result.outcome = "unfinished";
    return true;
  };
  do {
    // A page of a long ledger may hold none of them.
    if (isOver()) return;
    const page = await state.forRedrive(surveyId, from);
    for (let i = 0; i < page.entries.length; i += WRITTEN_AT_ONCE) {
      if (isOver()) return;
      const some = page.entries.slice(i, i + WRITTEN_AT_ONCE);
      const judged = await Promise.all(some.map((entry) => judgeByItself(holder, entry, result)));
      const back = some.flatMap((entry, k) => putBackAs(entry, judged[k], clock.now()) ?? []);
      if (back.length > 0) {
        await holdLease(holder);
        await state.putEntries(surveyId, back);
      }
      result.putBack += back.length;
      // The next full pass meets what no head walk does: it is not waited for.
      if (judged.includes("repair") && holder.lease.mark.pass === undefined) holder.lease.mark.nextPass = clock.now();
      for (const judgement of judged) if (!isBack(judgement)) result.left[judgement] += 1;
    }
    from = page.next;
  } while (from !== undefined);
}

/** Back: with its records. Read again: these are gone, but the service may list them still. Repair: the bus has refused what was to replace its event. */
type Back = "back" | "read again" | "repair";
type Judgement = Back | keyof SurveyRedrive["left"];

const BACK: ReadonlySet<Judgement> = new Set(["back", "read again", "repair"]);
const isBack = (judgement: Judgement): judgement is Back => BACK.has(judgement);

function putBackAs(entry: LedgerEntry, judgement: Judgement | undefined, now: number): LedgerEntry | undefined {
  if (judgement === "read again") return withoutRecords(entry, now);
  if (judgement === "repair") return shortAgain(entry);
  return judgement === "back" ? waiting(entry, now) : undefined;
}

/** One whose records cannot be read keeps none of the others back. */
async function judgeByItself(holder: SurveyHolder, entry: LedgerEntry, result: SurveyRedrive): Promise<Judgement> {
  try {
    return await judge(holder, entry);
  } catch (error) {
    if (endsWork(error)) throw error;
    result.outcome = "failed";
    result.failure ??= failureOf(error);
    return "failed";
  }
}

async function judge({ ports, lease }: SurveyHolder, entry: LedgerEntry): Promise<Judgement> {
  if (entry.state === "emitted") return "repair";
  const kept = await takeOut({ ports }, entry);
  const isRefused = entry.state === "refused";
  // No walk would ever take what the bus has refused.
  if (kept === undefined) return isRefused ? "read again" : "withoutRecords";
  if (isRefused) return "back";
  // A single record, of whatever response: only the list has all of that. The same holds where records may lie apart.
  if (typeof entry.id !== "number" || lease.mark.contents.apart !== undefined) return "unreadable";
  const run = { responseId: entry.id, records: kept.records.map((record) => readRecord(record)) };
  if (classOf(run) !== "completed") return "unreadable";
  return lease.mark.floor !== undefined && isOld(run, lease.mark.floor) ? "beforeFloor" : "back";
}

/** An entry whose event has fewer records than the service lists: the walk that meets it next replaces it. */
function shortAgain({ refusedRevision: _, attempts: __, ...entry }: LedgerEntry): LedgerEntry {
  return { ...entry, count: 0 };
}

/** An entry whose patience begins anew. */
function waiting({ id, digest, count, kept, keptKey }: LedgerEntry, now: number): LedgerEntry {
  return {
    id,
    state: "waiting",
    reason: "redriven",
    origin: "replay",
    firstSeen: now,
    attempts: 0,
    nextCheck: now,
    ...(digest === undefined ? {} : { digest }),
    ...(count === undefined ? {} : { count }),
    ...(kept === undefined ? {} : { kept }),
    ...(keptKey === undefined ? {} : { keptKey }),
  };
}

/** The next tick polls these surveys, though no count of theirs has moved. */
async function makeDue({ state, clock }: Ports, surveyIds: number[]): Promise<void> {
  if (surveyIds.length === 0) return;
  const { rows } = await state.account();
  const due = new Map<number, SurveyRow>();
  const now = clock.now();
  for (const surveyId of surveyIds) {
    const row = rows.get(surveyId);
    // Later than the last poll of a tick that is at work: by these counts the next tick would look for what that one has found.
    if (row !== undefined) due.set(surveyId, { ...row, counts: row.counts.map(() => null), dueAt: now, workedAt: now });
  }
  if (due.size > 0) await state.saveRows(due);
}
