import { errorCode } from "../../errors.ts";
import { endsWork } from "../errors.ts";
import type { Learned, Outcome } from "../learned.ts";
import type { DetailKind, UsedPatience } from "../model/ledger-entry.ts";
import type { Lack, Response } from "../model/response.ts";
import type { PollingSource } from "../model/source.ts";
import type { Clock } from "../ports.ts";
import type { Survey } from "../survey.ts";

// An operation that fails for every response of a source is no reason to give one of them up (R17).

/** The code of an attempt that was not made. */
const SPARED = "OUTAGE";

/** The service works, and refuses: were that an outage, an account without a right to metrics would wait for a day. */
const refusals = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** What patience and outages depend on. */
interface Holder {
  learned: Pick<Learned, "outages">;
  source: Pick<PollingSource, "enrich" | "interval" | "enrichmentPatience">;
  ports: { clock: Pick<Clock, "now"> };
}

/** The operations that the source uses and that fail for all of it: for an interval at least, as one response may fail by itself. */
export function outagesOf(holder: Holder): DetailKind[] {
  const { learned, source, ports } = holder;
  const isLong = (since = ports.clock.now()): boolean => ports.clock.now() - since >= source.interval;
  const kinds = ["metrics", "metadata"] as const;
  return kinds.filter((kind) => source.enrich[kind] && isOut(holder, kind) && isLong(learned.outages[kind]));
}

/** Whether a response waits because it was not asked for at all, so that nothing is known of it. */
export function isSpared({ code }: Pick<Lack, "code">): boolean {
  return code === SPARED;
}

/**
 * Makes an attempt and notes what it says of the operation. Where the operation has failed, the response that was emitted last is asked about once a tick. Should that
 * fail too, one new response a tick is asked about, and one that waits. All others are spared: their attempts fail unasked, with the code `OUTAGE`.
 */
export async function underOutage(
  survey: Survey,
  kind: DetailKind,
  of: "new" | "waiting",
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { learned } = survey;
  const watched = async (): Promise<Outcome> => {
    const outcome = await attempt();
    note(survey, kind, outcome.kind !== "failed" || refusals.has(outcome.code));
    return outcome;
  };
  if (!(await failsForAll(survey, kind, of))) return watched();
  const trials = learned.trials[kind];
  if (trials[of] === undefined) {
    trials[of] = watched();
    return trials[of];
  }
  await Promise.allSettled(Object.values(trials));
  return (await failsForAll(survey, kind, of)) ? { kind: "failed", code: SPARED } : watched();
}

function note({ learned, ports }: Survey, kind: DetailKind, answers: boolean): void {
  if (answers) delete learned.outages[kind];
  else learned.outages[kind] ??= ports.clock.now();
}

/** Whether an operation has failed, and fails for a response that was answered before as well. Where there is none, those that wait have to wait on. */
export async function failsForAll(survey: Survey, kind: DetailKind, of: "new" | "waiting"): Promise<boolean> {
  const { probes } = survey.learned;
  if (!isOut(survey, kind)) return false;
  probes[kind] ??= probe(survey, kind);
  const answers = (await probes[kind]) ?? of === "new";
  return !answers && isOut(survey, kind);
}

async function probe(survey: Survey, kind: DetailKind): Promise<boolean | undefined> {
  const { id, state, ports } = survey;
  if (state.highWater === undefined) return undefined;
  try {
    await ports.service[kind](id, state.highWater.responseId);
  } catch (error) {
    if (endsWork(error)) throw error;
    if (!refusals.has(errorCode(error))) return false;
  }
  note(survey, kind, true);
  return true;
}

/** The part of a response that tells how long it has waited so far. */
export type Patience = Pick<Response, "firstSeen" | "used">;

/** Parts of `enrichmentPatience`, of which the time between two attempts uses up one at most: so many attempts have failed by its end. */
export const LEAST_ATTEMPTS = 3;

/** Milliseconds after which an outage keeps nothing waiting any more. */
const LONGEST_OUTAGE = 24 * 3_600_000;

/** Whether what waits for an operation goes on waiting. */
function isOut({ learned, ports }: Holder, kind: DetailKind): boolean {
  const since = learned.outages[kind];
  return since !== undefined && ports.clock.now() - since < LONGEST_OUTAGE;
}

/**
 * The patience used up once an attempt has ended now. The time since the last attempt counts for a third of `enrichmentPatience` at most: a poller that stood still
 * has not been trying. During an outage of the operation no time counts, for a day at most.
 *
 * Example with `enrichmentPatience` "15m": the metrics of one response fail at 12:00, 12:05 and 12:10. All metrics fail from 12:10 to 13:00. It is given up at 13:05.
 */
export function usePatience({ learned, source, ports }: Holder, response: Patience): UsedPatience {
  const now = ports.clock.now();
  const last = response.used ?? { askedAt: response.firstSeen, waited: { metrics: 0, metadata: 0 } };
  const waited = (kind: DetailKind): number => {
    const { [kind]: since = now } = learned.outages;
    const before = Math.max(0, since - last.askedAt);
    const after = Math.max(0, now - Math.max(last.askedAt, since + LONGEST_OUTAGE));
    return last.waited[kind] + Math.min(before + after, source.enrichmentPatience / LEAST_ATTEMPTS);
  };
  return { askedAt: now, waited: { metrics: waited("metrics"), metadata: waited("metadata") } };
}

/** Whether an attempt that has failed now was the last one. */
export function isGivenUp(holder: Holder, kind: DetailKind, response: Patience): boolean {
  // fault: given-up-at-once
  return usePatience(holder, response).waited[kind] >= holder.source.enrichmentPatience;
}
