import { errorCode } from "../errors.ts";
import type { PollContext } from "./context.ts";
import type { Outcome } from "./enrich.ts";
import { concernsWholeSource } from "./errors.ts";
import { answered, confirmed, failed, isRunning, isSuspected, noOutages } from "./outage.ts";
import type { DetailKind, Outage, Outages } from "./state-types.ts";

/** What the polls of one tick see of outages, together. */
export interface OutageWatch {
  outages: Outages;
  /** As the account had them, as JSON. */
  known: string;
  /** Looks at a response that was answered before; one that was in vain is not repeated before the next answer. */
  looks: Partial<Record<DetailKind, Promise<void>>>;
  /** Whether what was answered before fails too, for those about to be given up. */
  lastLooks: Partial<Record<DetailKind, Promise<boolean>>>;
  /** Attempts of this tick during an outage. */
  scouts: Record<DetailKind, Promise<Outcome>[]>;
}

/** During an outage so many attempts a tick see whether it is over: thousands may be waiting for its end. */
const SCOUTS = 3;
/** The service works, and does not want to: were that an outage, an account without a right to metrics would wait for ever. */
const refusals = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** A watch that begins with what the account knows. */
export function watchOutages(known: Outages | undefined): OutageWatch {
  const outages = { ...noOutages(), ...known };
  const scouts = { metrics: [], metadata: [] };
  return { outages, known: JSON.stringify(outages), looks: {}, lastLooks: {}, scouts };
}

/** What is to be saved with the account: nothing where nothing was seen, since another tick may have seen something meanwhile. */
export function seenOutages({ outages, known }: OutageWatch): { outages?: Outages } {
  return JSON.stringify(outages) === known ? {} : { outages };
}

/** The operations that the source uses and that fail for all of it now. */
export function runningOutages({ outages }: OutageWatch, enrich: Record<DetailKind, boolean>): DetailKind[] {
  return (["metrics", "metadata"] as const).filter((kind) => enrich[kind] && isRunning(outages[kind]));
}

/** Makes an attempt and notes what it says of the operation. During an outage it may fail unasked, with the code `OUTAGE`. */
export async function underWatch(
  ctx: PollContext,
  kind: DetailKind,
  responseId: number,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { outages, scouts } = ctx.watch;
  if (!isRunning(outages[kind])) return watched(ctx, kind, responseId, attempt);
  if (scouts[kind].length < SCOUTS) {
    const scout = watched(ctx, kind, responseId, attempt);
    scouts[kind].push(scout);
    return scout;
  }
  await Promise.allSettled(scouts[kind]);
  if (isRunning(outages[kind])) return { kind: "failed", code: "OUTAGE" };
  return watched(ctx, kind, responseId, attempt);
}

async function watched(
  ctx: PollContext,
  kind: DetailKind,
  responseId: number,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { outages } = ctx.watch;
  const outcome = await attempt();
  const { surveyId } = ctx;
  if (outcome.kind !== "failed") noteAnswer(ctx, kind, { surveyId, responseId });
  else if (refusals.has(outcome.code)) noteAnswer(ctx, kind);
  else {
    outages[kind] = failed(outages[kind], ctx.ports.clock.now(), `${surveyId}/${responseId}`);
    if (isSuspected(outages[kind]) || isRunning(outages[kind])) {
      ctx.watch.looks[kind] ??= look(ctx, kind);
      await ctx.watch.looks[kind];
    }
  }
  return outcome;
}

function noteAnswer({ watch, ports }: PollContext, kind: DetailKind, of?: Outage["answered"]): void {
  watch.outages[kind] = answered(watch.outages[kind], ports.clock.now(), of);
  // The next suspicion is another one.
  delete watch.looks[kind];
}

/** Tells an outage from some responses with a fault of their own: asks again for what was answered before. */
async function look(ctx: PollContext, kind: DetailKind): Promise<void> {
  const { outages } = ctx.watch;
  const known = outages[kind].answered;
  if (known !== undefined && (await answers(ctx, kind, known))) noteAnswer(ctx, kind);
  else if (isSuspected(outages[kind])) outages[kind] = confirmed(outages[kind]);
}

/**
 * Asked before a response is given up: whether the operation fails for all of the source. On a quiet one there may not be enough
 * responses for a suspicion, so here the one that was answered before is asked for in any case, once a tick.
 */
export async function failsForAll(ctx: PollContext, kind: DetailKind): Promise<boolean> {
  const { outages, lastLooks } = ctx.watch;
  const known = outages[kind].answered;
  if (isRunning(outages[kind]) || known === undefined) return isRunning(outages[kind]);
  lastLooks[kind] ??= answers(ctx, kind, known).then((answer) => !answer);
  if (await lastLooks[kind]) outages[kind] = confirmed(outages[kind]);
  return isRunning(outages[kind]);
}

async function answers(
  ctx: PollContext,
  kind: DetailKind,
  { surveyId, responseId }: { surveyId: number; responseId: number },
): Promise<boolean> {
  try {
    await ctx.ports.service[kind](surveyId, responseId);
    return true;
  } catch (error) {
    if (concernsWholeSource(error)) throw error;
    return refusals.has(errorCode(error));
  }
}
