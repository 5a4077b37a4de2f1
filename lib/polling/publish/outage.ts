import { errorCode } from "../../errors.ts";
import type { PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { DetailKind, LedgerEntry } from "../model/ledger-entry.ts";
import { isOut } from "./patience.ts";

// An operation that fails for every response of a source is no reason to give one of them up (R17).

/** The outcome of one attempt; `code` is the error's own. */
export type Outcome = { kind: "found"; body: unknown } | { kind: "absent" } | { kind: "failed"; code: string };

/** The code of an attempt that was not made. */
const SPARED = "OUTAGE";

/** The service works, and refuses: were that an outage, an account without a right to metrics would wait for a day. */
const refusals = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** The operations that the source uses and that fail for all of it: for an interval at least, as one response may fail by itself. */
export function outagesOf({ learned, source, ports }: Pick<PollContext, "learned" | "source" | "ports">): DetailKind[] {
  const now = ports.clock.now();
  return (["metrics", "metadata"] as const).filter(
    (kind) =>
      source.enrich[kind] &&
      isOut(kind, learned.outages, now) &&
      now - (learned.outages[kind] ?? now) >= source.interval,
  );
}

/** Whether a response waits because it was not asked for at all, so that nothing is known of it. */
export function isSpared(reason: string): boolean {
  return reason.endsWith(`:${SPARED}`);
}

/**
 * Makes an attempt and notes what it says of the operation. Where the operation has failed, the response that was emitted last is asked about once a tick. Should that
 * fail too, one new response a tick is asked about, and one that waits. All others are spared: their attempts fail unasked, with the code `OUTAGE`.
 */
export async function underOutage(
  ctx: PollContext,
  kind: DetailKind,
  of: "new" | "waiting",
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { learned } = ctx;
  const watched = async (): Promise<Outcome> => {
    const outcome = await attempt();
    note(ctx, kind, outcome.kind !== "failed" || refusals.has(outcome.code));
    return outcome;
  };
  if (!(await failsForAll(ctx, kind, of))) return watched();
  const trials = learned.trials[kind];
  if (trials[of] === undefined) {
    trials[of] = watched();
    return trials[of];
  }
  await Promise.allSettled(Object.values(trials));
  return (await failsForAll(ctx, kind, of)) ? { kind: "failed", code: SPARED } : watched();
}

function note({ learned, ports }: PollContext, kind: DetailKind, answers: boolean): void {
  if (answers) delete learned.outages[kind];
  else learned.outages[kind] ??= ports.clock.now();
}

/** Whether an operation has failed, and fails for a response that was answered before as well. Where there is none, those that wait have to wait on. */
export async function failsForAll(ctx: PollContext, kind: DetailKind, of: "new" | "waiting"): Promise<boolean> {
  const { learned, ports } = ctx;
  if (!isOut(kind, learned.outages, ports.clock.now())) return false;
  learned.probes[kind] ??= probe(ctx, kind);
  const answers = (await learned.probes[kind]) ?? of === "new";
  return !answers && isOut(kind, learned.outages, ports.clock.now());
}

async function probe(ctx: PollContext, kind: DetailKind): Promise<boolean | undefined> {
  const { mark, ports, surveyId } = ctx;
  if (mark.highWater === undefined) return undefined;
  try {
    await ports.service[kind](surveyId, mark.highWater.responseId);
  } catch (error) {
    if (endsWork(error)) throw error;
    if (!refusals.has(errorCode(error))) return false;
  }
  note(ctx, kind, true);
  return true;
}

/** The waiting responses that wait for something else than operations that fail for everybody. */
export async function notSpared(ctx: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  const out: DetailKind[] = [];
  for (const kind of ["metrics", "metadata"] as const) if (await failsForAll(ctx, kind, "waiting")) out.push(kind);
  return entries.filter(({ reason = "" }) =>
    reason.split(" ").some((one) => !out.some((kind) => one.startsWith(`${kind}:`))),
  );
}
