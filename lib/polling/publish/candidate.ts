import { credible } from "../../events/build/date-string.ts";
import type { Origin } from "../../events/index.ts";
import type { Met } from "../contents/prove.ts";
import type { PollContext } from "../context.ts";
import { isAsked } from "../ledger/judge.ts";
import type { Details } from "../ledger/kept-records.ts";
import { keep, takeOut } from "../ledger/kept-records.ts";
import { keptUntil } from "../ledger/quarantine.ts";
import type { EntryState, LedgerEntry } from "../model/ledger-entry.ts";
import { placeOf } from "../model/phase.ts";
import { privateMetadata, privateRecord } from "../model/privacy.ts";
import { completedAt, digestOf, type Run, readRecord } from "../model/records.ts";
import { isSpared } from "./outage.ts";
import { type Patience, usePatience } from "./patience.ts";

/** A completed response as a walk, or operation 9, has shown it. */
export interface Found extends Pick<Met, "proof" | "replaces" | "seen"> {
  run: Run;
}

/** A completed response on its way to its event. */
export interface Candidate extends Met {
  /** The date of completion; "" where that is not credible. */
  completed: string;
  origin: Origin;
  patience: Patience;
  details: Details;
  /** Where its kept records lie in the vault, to be deleted once it is out. */
  keptKey?: string | undefined;
}

/** Whether the ledger has nothing of it yet. */
export function isNew({ proof, replaces }: Candidate): boolean {
  return proof !== "kept" && replaces === undefined;
}

const FIRST_BACK_OFF = 5_000;

/** A response as a walk has found it. */
export function fromFound(ctx: PollContext, { run, proof, replaces, seen }: Found, origin: Origin): Candidate {
  const completed = dateOf(ctx, run);
  return {
    responseId: run.responseId,
    digest: proof === "single read" && ctx.source.privacy.comments === "drop" ? undefined : digestOf(run),
    records: run.records.map((record) => privateRecord(record.raw, ctx.source.privacy)),
    proof,
    replaces,
    seen,
    completed,
    origin: isAsked(completed, { backfill: placeOf(ctx.mark)?.backfill, now: ctx.ports.clock.now() })
      ? "replay"
      : origin,
    patience: { firstSeen: ctx.ports.clock.now(), attempts: replaces?.entry.attempts ?? 0 },
    details: {},
  };
}

/** A waiting response with the records that were kept of it; undefined when these are gone. */
export async function fromWaiting(ctx: PollContext, entry: LedgerEntry): Promise<Candidate | undefined> {
  const kept = await takeOut(ctx, entry);
  if (kept === undefined || typeof entry.id !== "number") return undefined;
  const run: Run = { responseId: entry.id, records: kept.records.map((record) => readRecord(record)) };
  return {
    responseId: entry.id,
    digest: entry.digest,
    proof: "kept",
    // The rules on what may leave the process can have changed while it waited.
    records: kept.records.map((record) => privateRecord(record, ctx.source.privacy)),
    completed: dateOf(ctx, run),
    origin: entry.origin ?? "recheck",
    patience: {
      firstSeen: entry.firstSeen ?? ctx.ports.clock.now(),
      attempts: entry.attempts ?? 1,
      used: entry.patience,
    },
    keptKey: entry.keptKey,
    details: { ...kept.details, metadata: privateMetadata(kept.details.metadata, ctx.source.privacy) },
  };
}

/**
 * The entry of a response that waits: for metrics or metadata, for the bus to take its event, or for a place for its answers. All of it is tried again at the next
 * poll. `reasons` are codes, by kind.
 */
export async function waitingEntry(ctx: PollContext, candidate: Candidate, reasons: string[]): Promise<LedgerEntry> {
  const now = ctx.ports.clock.now();
  const { firstSeen, used } = candidate.patience;
  const { absentAfter, enrichmentPatience } = ctx.source;
  // A response that was not asked about stays due. With a back-off of its own it would lose its turns to those that fail for reasons of their own.
  const asked = !reasons.every(isSpared);
  const attempts = candidate.patience.attempts + (asked ? 1 : 0);
  // Absence is settled at a known moment. A failure is asked about again at growing distances.
  const isOfEvent = reasons.some((reason) => reason.startsWith("bus:") || reason.startsWith("event:"));
  const onlyAbsent = reasons.every((reason) => reason.endsWith(":absent"));
  const backOff = Math.min(enrichmentPatience / 2, FIRST_BACK_OFF * 2 ** (attempts - 1));
  return {
    ...entryOf(candidate, "waiting"),
    firstSeen,
    attempts,
    patience:
      !asked && used !== undefined
        ? used
        : usePatience(candidate.patience, now, ctx.learned.outages, enrichmentPatience),
    origin: candidate.origin,
    nextCheck: !asked || isOfEvent ? now : onlyAbsent ? Math.max(firstSeen + absentAfter, now) : now + backOff,
    reason: [...reasons].sort().join(" "),
    ...(await keepCandidate(ctx, candidate)),
  };
}

/** The entry of a response whose event the bus refused for good. */
export async function refusedEntry(ctx: PollContext, candidate: Candidate, code: string): Promise<LedgerEntry> {
  const { digest, replaces, records } = candidate;
  // The event that was to be replaced stands. It is left as it is as long as the response does not change again.
  if (replaces !== undefined) {
    const { entry } = replaces;
    return { ...entry, digest: digest ?? entry.digest, count: records.length, refusedRevision: code };
  }
  return {
    ...entryOf(candidate, "refused"),
    reason: code,
    firstSeen: candidate.patience.firstSeen,
    nextCheck: keptUntil(ctx),
    ...(await keepCandidate(ctx, candidate)),
  };
}

/** The fields that the entry of a candidate has in each state. */
export function entryOf({ responseId, digest, records }: Candidate, state: EntryState): LedgerEntry {
  return { id: responseId, state, digest, count: records.length };
}

function dateOf({ ports }: PollContext, run: Run): string {
  const date = completedAt(run);
  return credible(date, ports.clock.now()) ? date : "";
}

/** The order in which events go out. */
export function oldestFirst(a: Candidate, b: Candidate): number {
  return a.completed === b.completed ? a.responseId - b.responseId : a.completed < b.completed ? -1 : 1;
}

function keepCandidate(ctx: PollContext, { responseId, digest, records, details }: Candidate) {
  return keep(ctx, responseId, digest ?? "joined", { records, details });
}
