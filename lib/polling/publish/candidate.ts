import { credible } from "../../events/build/date-string.ts";
import type { Origin } from "../../events/index.ts";
import { digestBySingle } from "../contents/operation9.ts";
import type { Met } from "../contents/prove.ts";
import type { PollContext } from "../context.ts";
import type { Replaced } from "../ledger/changes.ts";
import { isAsked } from "../ledger/judge.ts";
import type { Details } from "../ledger/kept-records.ts";
import { keep, takeOut } from "../ledger/kept-records.ts";
import { keptUntil } from "../ledger/quarantine.ts";
import type { LedgerEntry, UsedPatience } from "../model/ledger-entry.ts";
import { placeOf } from "../model/phase.ts";
import { privateMetadata, privateRecord } from "../model/privacy.ts";
import { completedAt, digestOf, type Run, readRecord } from "../model/records.ts";
import { type Patience, usePatience } from "./patience.ts";
import { isSpared } from "./under-breaker.ts";

/** A completed response as a walk has read it. */
export interface Found {
  run: Run;
  /** Whether that is all of it, by the pages that were read; and whether one page has shown it in two places. */
  isWhole: boolean;
  isFewer?: boolean;
  isApart: boolean;
  /** Whether it was joined from two pages that stood beside each other. */
  isAcross: boolean;
  /** The event that is to be replaced, where there is one. */
  replaces?: Replaced;
  /** Whether operation 9 has given it: nothing is left to be proved. */
  isFromOperation9?: boolean;
}

/** A completed response on its way to its event. */
export interface Candidate extends Met {
  replaces?: Replaced;
  /** The date of completion; "" where that is not credible. */
  completed: string;
  origin: Origin;
  patience: Patience;
  details: Details;
  /** Where its kept records lie in the vault, to be deleted once it is out. */
  keptKey?: string | undefined;
}

const FIRST_BACK_OFF = 5_000;

/** A response as a walk has found it. */
export function fromFound(ctx: PollContext, found: Found, origin: Origin): Candidate {
  const { run, isWhole, isFewer = false, isApart, isAcross, replaces, isFromOperation9 = false } = found;
  const completed = dateOf(ctx, run);
  return {
    responseId: run.responseId,
    digest: isFromOperation9
      ? digestBySingle(
          ctx,
          run.responseId,
          run.records.map(({ raw }) => raw),
        )
      : digestOf(run),
    ...(replaces === undefined ? {} : { replaces }),
    records: run.records.map((record) => privateRecord(record.raw, ctx.source.privacy)),
    isWhole,
    isFewer,
    isApart,
    isAcross,
    isProved: isFromOperation9,
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
    isWhole: true,
    isApart: false,
    isAcross: false,
    isProved: true,
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
  const { firstSeen } = candidate.patience;
  // A response that was not asked about stays due. With a back-off of its own it would lose its turns to those that fail for reasons of their own.
  const asked = !reasons.every(isSpared);
  const attempts = candidate.patience.attempts + (asked ? 1 : 0);
  // Absence is settled at a known moment. A failure is asked about again at growing distances.
  const isOfEvent = reasons.some((reason) => reason.startsWith("bus:") || reason.startsWith("event:"));
  const onlyAbsent = reasons.every((reason) => reason.endsWith(":absent"));
  const backOff = Math.min(ctx.source.enrichmentPatience / 2, FIRST_BACK_OFF * 2 ** (attempts - 1));
  return {
    id: candidate.responseId,
    state: "waiting",
    ...(candidate.digest === undefined ? {} : { digest: candidate.digest }),
    count: candidate.records.length,
    firstSeen,
    attempts,
    patience: patienceAfter(ctx, candidate.patience, reasons),
    origin: candidate.origin,
    nextCheck:
      !asked || isOfEvent ? now : onlyAbsent ? Math.max(firstSeen + ctx.source.absentAfter, now) : now + backOff,
    reason: [...reasons].sort().join(" "),
    ...(await keepCandidate(ctx, candidate)),
  };
}

function patienceAfter(ctx: PollContext, patience: Patience, reasons: string[]): UsedPatience {
  if (reasons.every(isSpared) && patience.used !== undefined) return patience.used;
  return usePatience(patience, ctx.ports.clock.now(), ctx.watch.breakers, ctx.source.enrichmentPatience);
}

/** The entry of a response whose event the bus refused for good. */
export async function refusedEntry(ctx: PollContext, candidate: Candidate, code: string): Promise<LedgerEntry> {
  const { digest, replaces } = candidate;
  // The event that was to be replaced stands. It is left as it is as long as the response does not change again.
  if (replaces !== undefined) {
    return {
      ...replaces.entry,
      ...(digest === undefined ? {} : { digest }),
      count: candidate.records.length,
      refusedRevision: code,
    };
  }
  return {
    id: candidate.responseId,
    state: "refused",
    ...(digest === undefined ? {} : { digest }),
    count: candidate.records.length,
    reason: code,
    firstSeen: candidate.patience.firstSeen,
    nextCheck: keptUntil(ctx),
    ...(await keepCandidate(ctx, candidate)),
  };
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
