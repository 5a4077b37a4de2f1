import { errorCode } from "../../errors.ts";
import type { PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import {
  answered,
  type Breaker,
  type Breakers,
  type BreakerWatch,
  closedBreakers,
  failed,
  isOpen,
  isSuspected,
  type Outcome,
  opened,
} from "../model/breaker.ts";
import type { DetailKind, LedgerEntry } from "../model/ledger-entry.ts";

/** The code of an attempt that was not made. */
const SPARED = "OUTAGE";
/** The service works, and refuses: were that an outage, an account without a right to metrics would wait for a day. */
const refusals = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** A watch that begins with what the account knows. */
export function watchBreakers(known: Breakers | undefined): BreakerWatch {
  const breakers = { ...closedBreakers(), ...known };
  return { breakers, known: JSON.stringify(breakers), looks: {}, trials: { metrics: {}, metadata: {} } };
}

/** The part that is to be saved with the account: nothing where nothing was seen, since another tick may have seen something meanwhile. */
export function seenBreakers({ breakers, known }: BreakerWatch): { breakers?: Breakers } {
  return JSON.stringify(breakers) === known ? {} : { breakers: { ...breakers } };
}

/** The operations that the source uses and that fail for all of it now. */
export function openBreakers(ctx: Pick<PollContext, "watch" | "source" | "ports">): DetailKind[] {
  const { watch, source, ports } = ctx;
  const now = ports.clock.now();
  return (["metrics", "metadata"] as const).filter((kind) => source.enrich[kind] && isOpen(watch.breakers[kind], now));
}

/** Whether a response waits because it was not asked for at all, so that nothing is known of it. */
export function isSpared(reason: string): boolean {
  return reason.endsWith(`:${SPARED}`);
}

/**
 * Makes an attempt and notes what it says of the operation. While its breaker is open an attempt fails unasked, with the code `OUTAGE`. One new response a tick and
 * one that waits are asked about all the same: the response answered last may fail by its own fault now.
 */
export async function underBreaker(
  ctx: PollContext,
  kind: DetailKind,
  responseId: number,
  of: "new" | "waiting",
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { watch, ports } = ctx;
  const isShut = (): boolean => isOpen(watch.breakers[kind], ports.clock.now());
  if (isShut()) await look(ctx, kind);
  if (!isShut()) return watched(ctx, kind, responseId, attempt);
  const trials = watch.trials[kind];
  if (trials[of] === undefined) {
    trials[of] = watched(ctx, kind, responseId, attempt);
    return trials[of];
  }
  await Promise.allSettled(Object.values(trials));
  return isShut() ? { kind: "failed", code: SPARED } : watched(ctx, kind, responseId, attempt);
}

async function watched(
  ctx: PollContext,
  kind: DetailKind,
  responseId: number,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { watch, surveyId, ports } = ctx;
  const outcome = await attempt();
  if (outcome.kind !== "failed") noteAnswer(ctx, kind, { surveyId, responseId });
  else if (refusals.has(outcome.code)) noteAnswer(ctx, kind);
  else {
    watch.breakers[kind] = failed(watch.breakers[kind], ports.clock.now(), `${surveyId}/${responseId}`);
    if (isSuspected(watch.breakers[kind])) await look(ctx, kind);
  }
  return outcome;
}

/** The waiting responses that wait for something else than operations whose breaker is open. */
export async function notSpared(ctx: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  for (const kind of openBreakers(ctx)) await look(ctx, kind);
  const open = openBreakers(ctx);
  return entries.filter(({ reason = "" }) =>
    reason.split(" ").some((one) => !open.some((kind) => one.startsWith(`${kind}:`))),
  );
}

function noteAnswer({ watch, ports }: PollContext, kind: DetailKind, of?: Breaker["answered"]): void {
  watch.breakers[kind] = answered(watch.breakers[kind], ports.clock.now(), of);
  // A later suspicion is another one, and has a look of its own.
  delete watch.looks[kind];
}

/** Whether an operation fails for everybody, asked before a response is given up: on a quiet source too few may fail for a suspicion. */
export async function failsForAll(ctx: PollContext, kind: DetailKind): Promise<boolean> {
  await look(ctx, kind);
  return isOpen(ctx.watch.breakers[kind], ctx.ports.clock.now());
}

/** Tells an outage from some responses with a fault of their own: asks again for the response answered last, once a tick. */
function look(ctx: PollContext, kind: DetailKind): Promise<void> {
  const { looks } = ctx.watch;
  looks[kind] ??= lookOnce(ctx, kind);
  return looks[kind];
}

async function lookOnce(ctx: PollContext, kind: DetailKind): Promise<void> {
  const { breakers } = ctx.watch;
  const { surveyId, mark, ports } = ctx;
  // The answered response may be forgotten, as the account is saved last. Most likely the one emitted last was answered, too.
  const emitted = mark.highWater === undefined ? undefined : { surveyId, responseId: mark.highWater.responseId };
  const known = breakers[kind].answered ?? emitted;
  const answers = known !== undefined && (await isAnswered(ctx, kind, known));
  if (answers) noteAnswer(ctx, kind, known);
  else if (known !== undefined || isSuspected(breakers[kind]))
    breakers[kind] = opened(breakers[kind], ports.clock.now());
}

async function isAnswered(
  ctx: PollContext,
  kind: DetailKind,
  { surveyId, responseId }: { surveyId: number; responseId: number },
): Promise<boolean> {
  try {
    await ctx.ports.service[kind](surveyId, responseId);
    return true;
  } catch (error) {
    if (endsWork(error)) throw error;
    return refusals.has(errorCode(error));
  }
}
