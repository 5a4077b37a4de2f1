import type { Origin } from "../events/index.ts";
import type { PollContext } from "./context.ts";
import type { Details, Patience } from "./enrich.ts";
import { keep, takeOut } from "./kept-records.ts";
import { privateMetadata, privateRecord } from "./privacy.ts";
import { completedAt, digestOf, type Run, readRecord } from "./records.ts";
import type { LedgerEntry } from "./state-types.ts";

/** A completed response that is whole, on its way to its event. */
export interface Candidate {
  responseId: number;
  digest: string;
  /** Without what may not leave the process. */
  records: unknown[];
  completed: string | null;
  origin: Origin;
  patience: Patience;
  details: Details;
}

const FIRST_BACK_OFF = 5_000;

/** A response as a scan has joined it. */
export function fromRun(ctx: PollContext, run: Run, origin: Origin): Candidate {
  return {
    responseId: run.responseId,
    digest: digestOf(run),
    records: run.records.map((record) => privateRecord(record.raw, ctx.source.privacy)),
    completed: completedAt(run),
    origin,
    patience: { firstSeen: ctx.ports.clock.now(), attempts: 0 },
    details: {},
  };
}

/** A waiting response with the records that were kept of it; undefined when these are gone. */
export async function fromWaiting(ctx: PollContext, entry: LedgerEntry): Promise<Candidate | undefined> {
  const kept = await takeOut(ctx, entry);
  if (kept === undefined || typeof entry.id !== "number") return undefined;
  const run: Run = { responseId: entry.id, records: kept.records.map(readRecord) };
  return {
    responseId: entry.id,
    digest: entry.digest ?? digestOf(run),
    // What may leave the process can have changed while it waited.
    records: kept.records.map((record) => privateRecord(record, ctx.source.privacy)),
    completed: completedAt(run),
    origin: entry.origin ?? "recheck",
    patience: { firstSeen: entry.firstSeen ?? ctx.ports.clock.now(), attempts: entry.attempts ?? 1 },
    details: { ...kept.details, metadata: privateMetadata(kept.details.metadata, ctx.source.privacy) },
  };
}

/** The entry of a response whose metrics or metadata could not be had yet. `reasons` are codes, by kind. */
export async function waitingEntry(ctx: PollContext, candidate: Candidate, reasons: string[]): Promise<LedgerEntry> {
  const now = ctx.ports.clock.now();
  const { firstSeen } = candidate.patience;
  const attempts = candidate.patience.attempts + 1;
  // Absence is settled at a known moment; a failure is asked about again at growing distances.
  const onlyAbsent = reasons.every((reason) => reason.endsWith(":absent"));
  const backOff = Math.min(ctx.source.enrichmentPatience / 2, FIRST_BACK_OFF * 2 ** (attempts - 1));
  return {
    id: candidate.responseId,
    state: "waiting",
    digest: candidate.digest,
    count: candidate.records.length,
    firstSeen,
    attempts,
    origin: candidate.origin,
    nextCheck: onlyAbsent ? Math.max(firstSeen + ctx.source.absentAfter, now) : now + backOff,
    reason: [...reasons].sort().join(" "),
    ...(await keepCandidate(ctx, candidate)),
  };
}

/** The entry of a response whose event the bus refused for good. */
export async function refusedEntry(ctx: PollContext, candidate: Candidate, code: string): Promise<LedgerEntry> {
  return {
    id: candidate.responseId,
    state: "quarantined",
    digest: candidate.digest,
    count: candidate.records.length,
    reason: `bus:${code}`,
    firstSeen: candidate.patience.firstSeen,
    ...(await keepCandidate(ctx, candidate)),
  };
}

function keepCandidate(ctx: PollContext, { responseId, digest, records, details }: Candidate) {
  return keep(ctx, responseId, digest, { records, details });
}
