import { hash } from "node:crypto";
import { errorCode } from "../../errors.ts";
import { buildEvent, toUpdate } from "../../events/build/build-event.ts";
import type { ResponseCompleted } from "../../events/index.ts";
import type { PollContext } from "../context.ts";
import { leave } from "../errors.ts";
import { holdLease } from "../lease.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { type Candidate, waitingEntry } from "./candidate.ts";
import { type Enrichment, enrich } from "./enrich.ts";
import { isSpared } from "./outage.ts";
import type { ContentsEvent, Ready } from "./publish-batch.ts";

/** One candidate with its details. Retried: a repair that a later walk tries again. `entry`: what is to be noted; undefined where the ledger has it as it is. */
export type Prepared =
  | { kind: "ready"; ready: Ready; entry?: LedgerEntry }
  | { kind: "waiting"; entry: LedgerEntry | undefined }
  | { kind: "retried"; entry: LedgerEntry };

/** Asks for the metrics and metadata of a response, and makes its event. */
export async function prepare(ctx: PollContext, candidate: Candidate): Promise<Prepared> {
  // Absence is judged from the first time on that its details were asked for: much may lie between that and its page.
  const isFirst = candidate.patience.attempts === 0;
  const patience = isFirst ? { ...candidate.patience, firstSeen: ctx.ports.clock.now() } : candidate.patience;
  const found = await enrich(ctx, candidate.responseId, candidate.details, patience);
  const enriched = { ...candidate, patience, details: found.details };
  const { replaces } = candidate;
  if (replaces !== undefined) {
    const { entry } = replaces;
    const missing = missingOfRepair(candidate, found.reasons);
    if (missing !== undefined)
      return update(ctx, enriched, entry, { ...found, missing: [...found.missing, ...missing] });
    const asked = !found.reasons.some(isSpared);
    return { kind: "retried", entry: { ...entry, attempts: patience.attempts + (asked ? 1 : 0) } };
  }
  if (found.reasons.length === 0) return readyOrWaiting(ctx, enriched, found);
  // Hundreds may be spared at every tick: their entries are as they were, and due still.
  if (!found.asked && patience.used !== undefined) return { kind: "waiting", entry: undefined };
  return { kind: "waiting", entry: await waitingEntry(ctx, enriched, found.reasons) };
}

/** Notes one that waits, or a repair: by now another invocation may have made it. */
export async function note(ctx: PollContext, { kind, entry }: Prepared): Promise<void> {
  if (entry !== undefined) {
    await holdLease(ctx);
    await ctx.ports.state.putEntries(ctx.surveyId, [entry]);
  }
  if (kind === "waiting") ctx.ports.observe({ kind, surveyId: ctx.surveyId, count: 1 });
}

/** An event that replaces another one. Its contents are in the ledger before the bus gets it: no revision has two (R19). */
async function update(ctx: PollContext, candidate: Candidate, entry: LedgerEntry, had: Had): Promise<Prepared> {
  const { records, details } = candidate;
  const contents = hash("sha1", JSON.stringify([records, details, had.missing]), "base64url");
  const { revision: last = 1, next = { revision: last + 1, contents } } = entry;
  // Nobody knows whether other contents have gone out under the revision noted.
  const revision = next.contents === contents ? next.revision : next.revision + 1;
  const ready = await sealed(ctx, candidate, had, { revision });
  return { kind: "ready", ready, entry: { ...entry, next: { revision, contents } } };
}

/** Attempts after which a repair goes out without what cannot be had. */
const MOST_REPAIRS = 3;

/**
 * The parts that a repair goes out without; undefined when a later walk is to try again. The ledger has to go on saying emitted, so that a repair cannot wait as
 * others do.
 */
function missingOfRepair({ patience }: Candidate, reasons: string[]): string[] | undefined {
  const isOver = patience.attempts + 1 >= MOST_REPAIRS && !reasons.some(isSpared);
  // Details that are absent now may have been there when the replaced event went out: absence is no more certain than a failure.
  if (reasons.length > 0 && !isOver) return undefined;
  return reasons.map((reason) => (reason.endsWith(":absent") ? reason : reason.replace(/:.*/, ":gave-up")));
}

/** The parts of an event that do not come from its records. */
type Had = Pick<Enrichment, "definition" | "missing">;

/** Makes an event ready for the bus. A response that has no place for its answers now waits for one. */
async function readyOrWaiting(ctx: PollContext, candidate: Candidate, had: Had): Promise<Prepared> {
  try {
    return { kind: "ready", ready: await sealed(ctx, candidate, had) };
  } catch (error) {
    leave(ctx, error);
    return { kind: "waiting", entry: await waitingEntry(ctx, candidate, [`event:${errorCode(error)}`]) };
  }
}

/** Makes an event ready for the bus: of now, where it is not said when it was detected. */
export async function sealed(
  ctx: PollContext,
  candidate: Candidate,
  { definition, missing }: Had,
  { revision = 1, detectedAt }: { revision?: number; detectedAt?: number } = {},
): Promise<Ready> {
  const time = ctx.ports.clock.now();
  const detail = buildEvent({
    sourceName: ctx.source.name,
    surveyId: ctx.surveyId,
    responseId: candidate.responseId,
    survey: ctx.mark.survey?.facts,
    listedAt: ctx.mark.survey?.at,
    definition,
    questions: ctx.source.questions,
    records: candidate.records,
    metrics: candidate.details.metrics,
    metadata: candidate.details.metadata,
    missing,
    origin: candidate.origin,
    revision,
    detectedAt: detectedAt ?? time,
    timeZone: ctx.source.timeZone,
  });
  const event = eventOf(detail, candidate, time);
  return { ...candidate, event, sealed: await ctx.ports.publisher.seal(event) };
}

/** An event of a response, or the update that takes the place of another one. */
function eventOf(detail: ResponseCompleted, { replaces }: Candidate, time: number): ContentsEvent {
  if (replaces === undefined) return { type: "response.completed", detail, time };
  const { entry, changes, observedAt } = replaces;
  return {
    type: "response.updated",
    detail: toUpdate(detail, { replaces: entry.eventId ?? "", changes, observedAt }),
    time,
  };
}
