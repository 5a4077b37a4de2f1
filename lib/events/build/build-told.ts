import { hash } from "node:crypto";
import type { BooksClosed } from "../books-closed.ts";
import type { BooksSums } from "../books-digest.ts";
import { type EventType, SCHEMA_VERSION } from "../contract.ts";
import { eventIdOf } from "../event-id.ts";
import type { SurveyFacts } from "../response-completed.ts";
import type { ResponseDeleted, SurveyChanged, SurveyCounted } from "../told.ts";
import type { SurveyCounts } from "./survey.ts";

// The events that have no contents of a response.

/** The facts that all of them have. */
interface Facts {
  sourceName: string;
  surveyId: number;
  /** Of a record that does not say of which response it is, the id of its ledger item. */
  responseId?: number | string;
  /** Epoch milliseconds. */
  detectedAt: number;
}

/** The `meta` of each of them. `which` tells it from other events of this type, of the same survey or response. */
function eventMeta(type: EventType, { sourceName, surveyId, responseId = "-", detectedAt }: Facts, which: number) {
  return {
    eventId: eventIdOf({ type, sourceName, surveyId, responseId, which }),
    schemaVersion: SCHEMA_VERSION,
    sourceName,
    detectedAt: new Date(detectedAt).toISOString(),
  } as const;
}

interface DeletedFacts extends Facts {
  responseId: number;
  survey: SurveyFacts | undefined;
  /** Of the last event with its contents. */
  revision: number;
  lastEventId: string;
  /** Epoch milliseconds. */
  observedAt: number;
}

/** The event of a response that is listed no more: one for each revision that it had when it went. */
export function buildDeleted(facts: DeletedFacts): ResponseDeleted {
  const { surveyId, responseId, revision, survey = null, lastEventId } = facts;
  return {
    meta: eventMeta("response.deleted", facts, revision),
    data: { surveyId, responseId, survey, lastEventId, observedAt: new Date(facts.observedAt).toISOString() },
  };
}

type Data = BooksClosed["data"];

interface BooksFacts extends Facts {
  survey: SurveyFacts | undefined;
  /** Date string of the service; undefined: from the beginning. */
  from: string | null | undefined;
  books: Data["counts"] & Pick<Data, "passes" | "deficit"> & Partial<Pick<Data, "withheld">> & { startedAt: number };
  sums: BooksSums;
  /** The event of the same survey before this one, and the hash of what it said. */
  previous: { sequence: number; eventId: string; hash: string } | undefined;
}

/** The event of closed books, with a hash of what it says of them; undefined when that is what the previous one said. */
export function buildBooksClosed(facts: BooksFacts): { detail: BooksClosed; hash: string } | undefined {
  const { sourceName, surveyId, books, sums, previous, detectedAt, from = null } = facts;
  const { listed, emitted, beforeStart, open, waiting, held, quarantined, refused } = books;
  const counts = { listed, emitted, beforeStart, open, waiting, held, quarantined, refused };
  const { passes, deficit, withheld = [] } = books;
  const words = JSON.stringify([from, deficit, counts, withheld, sums.digest, Math.min(passes, 2)]);
  const said = hash("sha256", words, "base64url");
  if (said === previous?.hash) return undefined;
  const sequence = (previous?.sequence ?? 0) + 1;
  const detail: BooksClosed = {
    meta: {
      ...eventMeta("books.closed", { sourceName, surveyId, detectedAt }, sequence),
      sequence,
      previous: previous?.eventId ?? null,
    },
    data: {
      surveyId,
      survey: facts.survey ?? null,
      from,
      asOf: new Date(books.startedAt).toISOString(),
      passes,
      deficit,
      counts,
      withheld,
      ...sums,
    },
  };
  return { detail, hash: said };
}

interface NumberedFacts extends Facts {
  /** 1 for the first event of this type of a survey. */
  sequence: number;
}

type SurveyChange = Pick<SurveyChanged["data"], "before" | "after">;

/** The event of a survey that the survey list shows otherwise than before; null where it is not listed. */
export function buildSurveyChanged(facts: NumberedFacts & SurveyChange): SurveyChanged {
  const { surveyId, sequence, before, after } = facts;
  return {
    meta: { ...eventMeta("survey.changed", facts, sequence), sequence },
    data: { surveyId, before, after },
  };
}

interface SurveyCountedFacts extends NumberedFacts {
  survey: SurveyFacts | undefined;
  counts: SurveyCounts;
  /** When the survey list was read (epoch milliseconds). */
  asOf: number;
}

/** The event of a survey whose counts have changed. */
export function buildSurveyCounted(facts: SurveyCountedFacts): SurveyCounted {
  const { surveyId, survey = null, sequence, counts, asOf } = facts;
  return {
    meta: { ...eventMeta("survey.counted", facts, sequence), sequence },
    data: { surveyId, survey, asOf: new Date(asOf).toISOString(), ...counts },
  };
}
