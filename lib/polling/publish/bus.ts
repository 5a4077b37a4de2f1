import type { ResponseUpdated } from "../../events/index.ts";
import { holdLease } from "../lease.ts";
import type { Response } from "../model/response.ts";
import type { OutgoingEvent } from "../model/survey-state.ts";
import type { PublishOutcome, SealedEvent, SentEvent } from "../ports.ts";
import type { Survey } from "../survey.ts";

// The one way to the bus.

/** An event that is ready for the bus; `response`: the one whose contents it has. */
export interface ReadyEvent {
  event: OutgoingEvent;
  sealed: SealedEvent;
  response?: Response;
}

/** An event, and what the bus has said of it. */
export interface Answer<Ready> {
  ready: Ready;
  outcome: PublishOutcome;
}

/** Entries of one request to the bus. */
// fault: too-many-at-once
export const MOST_ENTRIES = 10;
/** A request to the bus holds 1 MB; a tenth of that is left for what surrounds the details. */
const MOST_BYTES = 900_000;

/** How many of the first events go into one request: at most 10 and 900 KB, and always one. */
export function batchOf(ready: readonly Pick<ReadyEvent, "sealed">[]): { length: number; isFull: boolean } {
  let bytes = 0;
  let length = 0;
  for (const { sealed } of ready) {
    bytes += sealed.bytes;
    if (length > 0 && (length >= MOST_ENTRIES || bytes > MOST_BYTES)) return { length, isFull: true };
    length += 1;
  }
  return { length, isFull: length >= MOST_ENTRIES || bytes >= MOST_BYTES };
}

/** One request to the bus, under the lease: its answer to each event, and how many milliseconds that took. */
export async function publishBatch<Ready extends Pick<ReadyEvent, "sealed">>(
  survey: Survey,
  batch: readonly Ready[],
): Promise<{ answers: Answer<Ready>[]; bus: number }> {
  const { publisher, clock } = survey.ports;
  const began = clock.now();
  const outcomes = await publisher.publish(
    batch.map(({ sealed }) => sealed),
    // fault: publish-unguarded
    () => holdLease(survey),
  );
  const answers = batch.map((ready, i) => ({ ready, outcome: outcomes[i] ?? { kind: "failed", code: "UNKNOWN" } }));
  return { answers, bus: clock.now() - began };
}

/** Lets those who watch know what the bus has said of events, and how these came there. `ledger`: milliseconds until that had those that were taken. */
export function observeSent(
  { id: surveyId, ports }: Survey,
  answers: readonly Answer<ReadyEvent>[],
  { bus, ledger }: Pick<SentEvent["ms"], "bus" | "ledger">,
): void {
  for (const { ready, outcome } of answers) {
    const { event, response } = ready;
    // An event that is not of a response lacks most of these.
    const { meta, data }: Update = event.detail;
    ports.observe({
      kind: "sent",
      event: {
        type: event.type,
        surveyId,
        responseId: data.responseId,
        eventId: event.detail.meta.eventId,
        revision: meta.revision,
        origin: meta.origin,
        changed: meta.changed,
        detectedAt: event.time,
        completed: data.response?.completed,
        outcome: outcome.kind,
        code: outcome.kind === "published" ? undefined : outcome.code,
        batch: answers.length,
        ms: { ...response?.took, bus, ledger: outcome.kind === "published" ? ledger : undefined },
        listed: response?.seen,
        proved: response?.proof,
        attempts: response?.attempts ? response.attempts + 1 : undefined,
      },
    });
  }
}

/** The fields of an update, as far as an event of another type has them. */
interface Update {
  meta: Partial<ResponseUpdated["meta"]>;
  data: Partial<ResponseUpdated["data"]>;
}
