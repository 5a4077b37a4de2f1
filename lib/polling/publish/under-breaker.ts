import { errorCode } from "../../errors.ts";
import type { PollContext } from "../context.ts";
import { concernsWholeSource } from "../errors.ts";
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
  type ResponseKey,
} from "../model/breaker.ts";
import type { DetailKind, LedgerEntry, UsedPatience } from "../model/ledger-entry.ts";

/** The code of an attempt that was not made. */
const SPARED = "OUTAGE";
/** The service works, and does not want to: were that an outage, an account without a right to metrics would wait for a day. */
const refusals = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** A watch that begins with what the account knows. */
export function watchBreakers(known: Breakers | undefined): BreakerWatch {
  const breakers = { ...closedBreakers(), ...known };
  return {
    breakers,
    known: JSON.stringify(breakers),
    looks: {},
    triedByNews: new Set(),
    turns: { metrics: [], metadata: [] },
    spared: {},
  };
}

/** What is to be saved with the account: nothing where nothing was seen, since another tick may have seen something meanwhile. */
export function seenBreakers({ breakers, known, spared }: BreakerWatch): { breakers?: Breakers } {
  const withTurn = (kind: DetailKind): Breaker => {
    const [breaker, next] = [breakers[kind], spared[kind]];
    return breaker.phase === "open" && next !== undefined ? { ...breaker, turn: next.response } : breaker;
  };
  const seen = { metrics: withTurn("metrics"), metadata: withTurn("metadata") };
  return JSON.stringify(seen) === known ? {} : { breakers: seen };
}

/** The operations that the source uses and that fail for all of it now. */
export function openBreakers(ctx: Pick<PollContext, "watch" | "source" | "ports">): DetailKind[] {
  const { watch, source, ports } = ctx;
  const now = ports.clock.now();
  return (["metrics", "metadata"] as const).filter((kind) => source.enrich[kind] && isOpen(watch.breakers[kind], now));
}

/** Whether this is why a response waits: it was not asked for at all, so that nothing is known of it. */
export function isSpared(reason: string): boolean {
  return reason.endsWith(`:${SPARED}`);
}

/**
 * Makes an attempt and notes what it says of the operation. While its breaker is open an attempt fails unasked, with the code `OUTAGE`, but for
 * one new response a tick and the waiting one that has its turn. `used` is what earlier attempts for the response have left behind.
 */
export async function underBreaker(
  ctx: PollContext,
  kind: DetailKind,
  responseId: number,
  used: UsedPatience | undefined,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { watch, surveyId } = ctx;
  const now = (): number => ctx.ports.clock.now();
  const response = `${surveyId}/${responseId}`;
  const isShut = (): boolean => isOpen(watch.breakers[kind], now());
  if (isShut()) await look(ctx, kind);
  if (!isShut()) return watched(ctx, kind, responseId, attempt);
  if (hasTurn(watch, kind, response, used)) {
    const outcome = watched(ctx, kind, responseId, attempt);
    watch.turns[kind].push(outcome);
    return outcome;
  }
  await Promise.allSettled(watch.turns[kind]);
  if (!isShut()) return watched(ctx, kind, responseId, attempt);
  spare(watch, kind, response, used?.askedAt ?? now());
  return { kind: "failed", code: SPARED };
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

/**
 * Those of some waiting responses that are to be asked for now: not those that wait for nothing but operations whose breaker is open, but for the
 * one that has its turn.
 */
export async function withTurn(ctx: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  const { watch, surveyId, ports } = ctx;
  for (const kind of openBreakers(ctx)) await look(ctx, kind);
  const open = openBreakers(ctx);
  return entries.filter(({ id, reason = "", patience }) => {
    const kinds = open.filter((kind) => reason.includes(`${kind}:`));
    const others = reason.split(" ").filter((one) => !kinds.some((kind) => one.startsWith(`${kind}:`)));
    if (kinds.length === 0 || others.length > 0) return true;
    const response = `${surveyId}/${id}`;
    if (kinds.some((kind) => hasTurn(watch, kind, response, patience))) return true;
    for (const kind of kinds) spare(watch, kind, response, patience?.askedAt ?? ports.clock.now());
    return false;
  });
}

function hasTurn(
  watch: BreakerWatch,
  kind: DetailKind,
  response: ResponseKey,
  used: UsedPatience | undefined,
): boolean {
  const breaker = watch.breakers[kind];
  if (used !== undefined && breaker.phase === "open") {
    // Nobody was chosen yet: the first one has it.
    const { turn = response } = breaker;
    watch.breakers[kind] = { ...breaker, turn };
    return turn === response;
  }
  if (watch.triedByNews.has(kind)) return false;
  watch.triedByNews.add(kind);
  return true;
}

function spare({ spared }: BreakerWatch, kind: DetailKind, response: ResponseKey, since: number): void {
  if (since < (spared[kind]?.since ?? Number.POSITIVE_INFINITY)) spared[kind] = { response, since };
}

function noteAnswer({ watch, ports }: PollContext, kind: DetailKind, of?: Breaker["answered"]): void {
  watch.breakers[kind] = answered(watch.breakers[kind], ports.clock.now(), of);
  // The next suspicion is another one.
  delete watch.looks[kind];
}

/** Whether an operation fails for everybody, asked before a response is given up: on a quiet source too few may fail for a suspicion. */
export async function failsForAll(ctx: PollContext, kind: DetailKind): Promise<boolean> {
  await look(ctx, kind);
  return isOpen(ctx.watch.breakers[kind], ctx.ports.clock.now());
}

/** Tells an outage from some responses with a fault of their own: asks again for what was answered before, once a tick. */
function look(ctx: PollContext, kind: DetailKind): Promise<void> {
  const { looks } = ctx.watch;
  looks[kind] ??= lookOnce(ctx, kind);
  return looks[kind];
}

async function lookOnce(ctx: PollContext, kind: DetailKind): Promise<void> {
  const { breakers } = ctx.watch;
  const { surveyId, mark, ports } = ctx;
  // What was answered may be forgotten, as the account is saved last; of what was emitted last it was most likely had.
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
    if (concernsWholeSource(error)) throw error;
    return refusals.has(errorCode(error));
  }
}
