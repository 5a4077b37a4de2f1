import { errorCode } from "../../errors.ts";
import type { PollContext } from "../context.ts";
import { concernsWholeSource } from "../errors.ts";
import type { DetailKind, UsedPatience } from "../model/ledger-entry.ts";
import type { Outage, Outages, OutageWatch, Outcome, ResponseKey, Turn } from "../model/outages.ts";
import { answered, chosen, confirmed, failed, isRunning, isSuspected, noOutages } from "./outage.ts";

/**
 * During an outage so many attempts a tick see whether it is over: thousands may be waiting for its end. Some of them may be broken
 * for good: the chosen ones see to it that all have a turn, over all surveys.
 */
const SCOUTS: Record<Turn, number> = { news: 2, chosen: 2, first: 1 };
/** The code of an attempt that was not made. */
const SPARED = "OUTAGE";
/** The service works, and does not want to: were that an outage, an account without a right to metrics would wait for ever. */
const refusals = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** A watch that begins with what the account knows. */
export function watchOutages(known: Outages | undefined): OutageWatch {
  const outages = { ...noOutages(), ...known };
  const none = () => ({ metrics: [], metadata: [] });
  return { outages, known: JSON.stringify(outages), looks: {}, lastLooks: {}, scouts: none(), spared: none() };
}

/** What is to be saved with the account: nothing where nothing was seen, since another tick may have seen something meanwhile. */
export function seenOutages({ outages, known, spared }: OutageWatch): { outages?: Outages } {
  const keys = (kind: DetailKind): ResponseKey[] => spared[kind].map(({ response }) => response);
  const seen = {
    metrics: chosen(outages.metrics, keys("metrics")),
    metadata: chosen(outages.metadata, keys("metadata")),
  };
  return JSON.stringify(seen) === known ? {} : { outages: seen };
}

/** The operations that the source uses and that fail for all of it now. */
export function runningOutages({ outages }: OutageWatch, enrich: Record<DetailKind, boolean>): DetailKind[] {
  return (["metrics", "metadata"] as const).filter((kind) => enrich[kind] && isRunning(outages[kind]));
}

/** Whether this is why a response waits: it was not asked for at all, so that nothing is known of it. */
export function isSpared(reason: string): boolean {
  return reason.endsWith(`:${SPARED}`);
}

/**
 * Makes an attempt and notes what it says of the operation. During an outage it may fail unasked, with the code `OUTAGE`. `used` is
 * what earlier attempts for the response have left behind; a new one has made none.
 */
export async function underWatch(
  ctx: PollContext,
  kind: DetailKind,
  responseId: number,
  used: UsedPatience | undefined,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { outages, scouts } = ctx.watch;
  if (!isRunning(outages[kind])) return watched(ctx, kind, responseId, attempt);
  const response = `${ctx.surveyId}/${responseId}`;
  const isChosen = outages[kind].failing?.chosen?.includes(response) === true;
  const turn = used === undefined ? "news" : isChosen ? "chosen" : "first";
  if (scouts[kind].filter((scout) => scout.turn === turn).length < SCOUTS[turn]) {
    const outcome = watched(ctx, kind, responseId, attempt);
    scouts[kind].push({ turn, outcome });
    return outcome;
  }
  await Promise.allSettled(scouts[kind].map(({ outcome }) => outcome));
  if (!isRunning(outages[kind])) return watched(ctx, kind, responseId, attempt);
  spare(ctx, kind, { response, since: used?.asked?.[kind] ?? used?.askedAt ?? ctx.ports.clock.now() });
  return { kind: "failed", code: SPARED };
}

/** Those that were asked for longest ago are chosen for the next tick. */
function spare({ watch }: PollContext, kind: DetailKind, one: OutageWatch["spared"][DetailKind][number]): void {
  const others = watch.spared[kind].filter(({ response }) => response !== one.response);
  watch.spared[kind] = [...others, one].sort((a, b) => a.since - b.since).slice(0, SCOUTS.chosen);
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
  const { surveyId, mark } = ctx;
  // What was answered may be forgotten, as the account is saved last; of what was emitted last it was most likely had.
  const emitted = mark.highWater === undefined ? undefined : { surveyId, responseId: mark.highWater.responseId };
  const known = outages[kind].answered ?? emitted;
  if (known !== undefined && (await answers(ctx, kind, known))) noteAnswer(ctx, kind, known);
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
