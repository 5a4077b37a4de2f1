import { errorCode } from "../errors.ts";
import { CHANGES } from "../events/contract.ts";
import { eventId } from "../events/index.ts";
import {
  batchOf,
  type ContentsEvent,
  classOf,
  digestOf,
  endsWork,
  enrich,
  fromRead,
  holdLease,
  type LedgerEntry,
  makeEvent,
  observeSent,
  type Run,
  type Survey,
} from "../polling/index.ts";
import { isForgotten } from "./forgotten.ts";

/** The entry of an emitted response. */
export interface EmittedEntry extends LedgerEntry {
  id: number;
  eventId: string;
}

/** An emitted response, and how the service shows it now. */
export interface ReadAgain {
  entry: EmittedEntry;
  run: Run;
  /** Whether these are all of its records, however they lie. */
  isWhole: boolean;
}

/**
 * The outcome for one response.
 *
 * | outcome | meaning |
 * |---|---|
 * | sent | the bus has taken its event once more |
 * | changed | the service shows other contents than those of the event, so that these may not go out under its id |
 * | gone | the service does not show it any more |
 * | not-emitted | the ledger has no event of it to be sent; `reason` is its state, "forgotten" or "unknown" |
 * | unproved | nobody can tell now whether what was read is what its event has |
 * | failed | something could not be had, or the bus did not take it; `reason` is a code |
 * | refused | the bus refuses it for good; `reason` is its code |
 */
export type ResendOutcome = "sent" | "changed" | "gone" | "not-emitted" | "unproved" | "failed" | "refused";

export interface Resent {
  responseId: number;
  /** Null where it is not emitted. */
  eventId: string | null;
  revision: number | null;
  outcome: ResendOutcome;
  reason: string | null;
  /** Of a changed one: the revision as which its update will come, or came; null where updates are not given out. */
  update: number | null;
}

export function resent(entry: EmittedEntry, outcome: ResendOutcome, reason: string | null = null): Resent {
  const { id, eventId, revision = 1 } = entry;
  return { responseId: id, eventId, revision, outcome, reason, update: null };
}

/**
 * Sends the last events of responses once more, under the lease of their survey, so that nobody replaces or forgets any of them meanwhile. Each is
 * made anew; what has become another one since it was read is left out. The ledger is not changed.
 */
export async function sendSame(survey: Survey, read: readonly ReadAgain[]): Promise<Resent[]> {
  const { id: surveyId, ports } = survey;
  const ids = read.map(({ entry }) => entry.id);
  const entries = await ports.state.entries(surveyId, ids);
  const made = await Promise.all(
    read.map(async ({ entry, run }): Promise<Ready | Resent> => {
      const now = entries.get(entry.id);
      const isSame = now?.eventId === entry.eventId && now.digest === entry.digest && !isForgotten(now);
      if (!isSame) return resent(entry, "failed", "CHANGED_MEANWHILE");
      try {
        const one = await remake(survey, entry, run);
        return "failure" in one ? resent(entry, "failed", one.failure) : one;
      } catch (error) {
        // One of which the answers have no place, say, keeps none of the others from it.
        if (endsWork(error)) throw error;
        return resent(entry, "failed", errorCode(error));
      }
    }),
  );
  const results = made.filter((one): one is Resent => "outcome" in one);
  const byId = new Map(read.map(({ entry }) => [entry.id, entry]));
  for (let rest = made.filter((one): one is Ready => ("sealed" in one)); rest.length > 0; ) {
    const batch = rest.splice(0, batchOf(rest).length);
    const began = ports.clock.now();
    const outcomes = await ports.publisher.publish(
      batch.map((one) => one.sealed),
      () => holdLease(survey),
    );
    observeSent(survey, batch, outcomes, { bus: ports.clock.now() - began });
    for (const [i, { responseId }] of batch.entries()) {
      const entry = byId.get(responseId);
      const outcome = outcomes[i] ?? { kind: "failed", code: "UNKNOWN" };
      if (entry === undefined) continue;
      results.push(
        outcome.kind === "published" ? resent(entry, "sent") : resent(entry, outcome.kind, `bus:${outcome.code}`),
      );
    }
  }
  return results;
}

/** A response whose event is ready once more. */
interface Ready extends ContentsEvent {
  responseId: number;
}

/** Parts of an event that it goes out without: there are none, or a service that works does not want to give them. */
const WITHOUT = /:(absent|BAD_REQUEST|NOT_ALLOWED)$/;

/**
 * Makes the last event of a response once more: the same id and revision, from the same records. Metrics, metadata and questions are asked for
 * anew. `detectedAt` is when the bus took it first, so that books which hold the event hold this one too.
 */
async function remake(survey: Survey, entry: EmittedEntry, run: Run): Promise<Ready | { failure: string }> {
  const now = survey.ports.clock.now();
  const { id, revision = 1, emittedAt = now } = entry;
  // The ledger does not say what an update told of.
  const before = { ...entry, eventId: eventId(survey.source.name, survey.id, id, revision - 1) };
  const replaces = revision === 1 ? undefined : { entry: before, changes: [...CHANGES], observedAt: emittedAt };
  const had = await enrich(survey, id, {}, { firstSeen: now, attempts: 0 });
  const failures = had.reasons.filter((reason) => !WITHOUT.test(reason));
  if (failures.length > 0) return { failure: failures.join(" ") };
  const without = had.reasons.map((reason) =>
    reason.endsWith(":absent") ? reason : reason.replace(/:.*/, ":gave-up"),
  );
  const response = {
    ...fromRead(survey, run, { proof: "its page", replaces, origin: "replay" }),
    details: had.details,
  };
  const missing = [...had.missing, ...without];
  const made = await makeEvent(survey, response, { ...had, missing }, { revision, detectedAt: emittedAt });
  // Nothing else may go out for it.
  return made.event.detail.meta.eventId === entry.eventId ? { responseId: id, ...made } : { failure: "OTHER_EVENT_ID" };
}

/**
 * Why a response may not go out under the id of its last event; undefined where it may. It may where its contents are those of that event,
 * by their digest and number: no revision has two contents (R19).
 */
export function whyNot({ entry, run, isWhole }: ReadAgain, hasUpdates: boolean): Resent | undefined {
  const { digest, count, refusedRevision, revision = 1, next } = entry;
  if (digest === undefined) return resent(entry, "unproved", "no digest of its event is known");
  // Of one whose replacement was refused the digest is that of the refused contents, and no longer that of the event.
  const isSame = classOf(run) === "completed" && run.records.length === count && digestOf(run) === digest;
  if (isSame && refusedRevision === undefined) return undefined;
  if (!isWhole && refusedRevision === undefined) {
    return resent(entry, "unproved", "not all of its records could be read at once");
  }
  return { ...resent(entry, "changed"), update: hasUpdates ? (next?.revision ?? revision + 1) : null };
}
