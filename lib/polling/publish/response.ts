import { credible } from "../../events/build/date-string.ts";
import { isAsked } from "../ledger/classify.ts";
import { keep, keptUntil, takeOut } from "../ledger/kept-records.ts";
import type { EntryState, LedgerEntry } from "../model/ledger-entry.ts";
import { personOf, privateMetadata, privateRecord } from "../model/privacy.ts";
import { completedAt, digestOf, type Run, readRecord } from "../model/records.ts";
import { ABSENT, type EventPart, type Response } from "../model/response.ts";
import { placeOf } from "../model/survey-state.ts";
import type { Survey } from "../survey.ts";
import { isSpared, LEAST_ATTEMPTS, usePatience } from "./outage.ts";

/** A response as a page, or the single read, has shown it. */
export function fromRead(
  survey: Survey,
  run: Run,
  { proof, replaces, seen, origin }: Pick<Response, "proof" | "replaces" | "seen" | "origin">,
): Response {
  const completed = dateOf(survey, run);
  const now = survey.ports.clock.now();
  const isUnknown = proof === "single read" && survey.source.privacy.comments === "drop";
  return {
    responseId: run.responseId,
    records: run.records.map(({ raw }) => privateRecord(raw, survey.source.privacy)),
    digest: isUnknown ? undefined : digestOf(run),
    proof,
    seen,
    replaces,
    completed,
    origin: isAsked(completed, { backfill: placeOf(survey.state)?.backfill, now }) ? "replay" : origin,
    firstSeen: now,
    attempts: replaces?.entry.attempts ?? 0,
    details: {},
  };
}

/** A waiting response with the records that were kept of it, or that these are gone. */
export async function fromKept(survey: Survey, entry: LedgerEntry): Promise<Response | "gone"> {
  const kept = await takeOut(survey, entry);
  if (kept === undefined || typeof entry.id !== "number") return "gone";
  const { privacy } = survey.source;
  return {
    responseId: entry.id,
    digest: entry.digest,
    proof: "kept",
    // The rules on what may leave the process can have changed while it waited.
    records: kept.records.map((record) => privateRecord(record, privacy)),
    completed: dateOf(survey, { responseId: entry.id, records: kept.records.map((record) => readRecord(record)) }),
    origin: entry.origin ?? "recheck",
    firstSeen: entry.firstSeen ?? survey.ports.clock.now(),
    attempts: entry.attempts ?? 1,
    used: entry.patience,
    keptKey: entry.keptKey,
    details: { ...kept.details, metadata: privateMetadata(kept.details.metadata, privacy) },
  };
}

function dateOf({ ports }: Survey, run: Run): string {
  const date = completedAt(run);
  return credible(date, ports.clock.now()) ? date : "";
}

/** Whether the ledger has nothing of it yet. */
export function isNew({ proof, replaces }: Response): boolean {
  return proof !== "kept" && replaces === undefined;
}

/** The order in which events go out. */
export function oldestFirst(a: Response, b: Response): number {
  return a.completed === b.completed ? a.responseId - b.responseId : a.completed < b.completed ? -1 : 1;
}

/** The fields that its entry has in each state. */
export function entryOf(
  { ports }: Pick<Survey, "ports">,
  { responseId, digest, records, details }: Response,
  state: EntryState,
): LedgerEntry {
  return { id: responseId, state, digest, count: records.length, ...personOf(ports, records, details.metadata) };
}

const FIRST_BACK_OFF = 5_000;

/** Why a response waits: for a part of its event, for a place for its answers, or for the bus. */
export interface Reason {
  part: EventPart | "event" | "bus";
  code: string;
}

/**
 * The entry of a response that waits: for metrics or metadata, for the bus to take its event, or for a place for its answers. All of it is tried again at the next
 * poll.
 */
export async function waitingEntry(survey: Survey, response: Response, reasons: Reason[]): Promise<LedgerEntry> {
  const now = survey.ports.clock.now();
  const { firstSeen, used, origin } = response;
  const { absentAfter, enrichmentPatience } = survey.source;
  // A response that was not asked about stays due. With a back-off of its own it would lose its turns to those that fail for reasons of their own.
  const asked = !reasons.every(isSpared);
  const attempts = response.attempts + (asked ? 1 : 0);
  // Absence is settled at a known moment. A failure is asked about again at growing distances.
  const isOfEvent = reasons.some(({ part }) => part === "bus" || part === "event");
  const onlyAbsent = reasons.every(({ code }) => code === ABSENT);
  const backOff = Math.min(enrichmentPatience / LEAST_ATTEMPTS, FIRST_BACK_OFF * 2 ** (attempts - 1));
  return {
    ...entryOf(survey, response, "waiting"),
    firstSeen,
    attempts,
    patience: !asked && used !== undefined ? used : usePatience(survey, response),
    origin,
    nextCheck: !asked || isOfEvent ? now : onlyAbsent ? Math.max(firstSeen + absentAfter, now) : now + backOff,
    reason: reasons
      .map(({ part, code }) => `${part}:${code}`)
      .sort()
      .join(" "),
    ...(await keepRecords(survey, response)),
  };
}

/** The entry of a response whose event the bus refused for good. */
export async function refusedEntry(survey: Survey, response: Response, code: string): Promise<LedgerEntry> {
  const { digest, replaces, records, firstSeen } = response;
  // The event that was to be replaced stands. It is left as it is as long as the response does not change again.
  if (replaces !== undefined) {
    const { gone: _, ...entry } = replaces.entry;
    return { ...entry, digest: digest ?? entry.digest, count: records.length, refusedRevision: code };
  }
  const times = { firstSeen, nextCheck: keptUntil(survey) };
  return { ...entryOf(survey, response, "refused"), reason: code, ...times, ...(await keepRecords(survey, response)) };
}

function keepRecords(survey: Survey, { responseId, digest, records, details }: Response) {
  return keep(survey, responseId, digest ?? "joined", { records, details });
}
