import pLimit from "p-limit";
import type { PollContext } from "./context.ts";
import { LeaseLostError } from "./errors.ts";
import { LEASE_DURATION, underLease } from "./lease.ts";
import type { AccountState, SurveyRow } from "./model/account.ts";
import type { Start } from "./model/source.ts";

/** The facts that any work on a survey needs. */
export interface SurveyRequest
  extends Pick<
    PollContext,
    "ports" | "source" | "surveyId" | "deadline" | "streamUntil" | "start" | "listedCount" | "learned"
  > {
  /** Names whoever works on it: the holder of its lease. */
  owner: string;
}

/** No survey is polled before the start of its source stands. */
const NONE: Start = { from: "beginning", at: null };

/** The knowledge of a survey that its source as a whole gives, and its counts in the survey list. */
export function knownOf(
  { start = NONE }: AccountState,
  counts: SurveyRow["counts"] = [],
): Pick<SurveyRequest, "start" | "listedCount"> {
  const shown = counts.filter((count) => count !== null);
  const listedCount = shown.length === 0 ? undefined : Math.max(...shown);
  return { start, listedCount };
}

/**
 * Works on a survey under its lease, which is given back with the mark at the end, also after a failure. Undefined when someone else
 * holds the lease, or has taken it meanwhile.
 */
export async function withSurvey<T>(
  request: SurveyRequest,
  work: (ctx: PollContext) => Promise<T>,
): Promise<T | undefined> {
  const { ports, surveyId, owner } = request;
  const lease = await ports.state.acquire(surveyId, owner, LEASE_DURATION);
  if (lease === undefined) return undefined;
  const ctx: PollContext = {
    ...request,
    lease,
    leasedAt: ports.clock.now(),
    mark: lease.mark,
    allowance: undefined,
    definition: undefined,
    lost: undefined,
    failure: undefined,
    publishing: pLimit(1),
  };
  try {
    const done = await underLease(ctx, async () => {
      await settlePending(ctx);
      return work(ctx);
    });
    await ports.state.release(lease, ctx.mark);
    return done;
  } catch (error) {
    if (error instanceof LeaseLostError) return undefined;
    // The next tick need not wait for the lease to run out. The failure that led here is the one to report.
    await ports.state.release(lease, ctx.mark).catch(() => undefined);
    throw error;
  }
}

/** Published, and not in the ledger yet: before that nothing more may be published. */
async function settlePending({ mark, lease, ports, surveyId }: PollContext): Promise<void> {
  if (mark.pending === undefined || mark.pending.length === 0) return;
  await ports.state.putEntries(surveyId, mark.pending);
  delete mark.pending;
  await ports.state.saveMark(lease, mark);
}
