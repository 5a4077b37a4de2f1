import type { EmittedResponse } from "../../../lib/polling/model/ledger-entry.ts";
import { olderEventIds } from "../../ids/event-ids.ts";
import type { IdSet } from "../../ids/id-set.ts";
import { includes, type Stretch } from "../../moments.ts";
import type { SurveyOf } from "../../target/emitted.ts";
import type { MissingEvent } from "./answer.ts";

/**
 * Milliseconds that the bus and a consumer may take, and more. An event emitted so shortly before the list was taken is not called missing
 * yet.
 */
const ON_ITS_WAY = 30_000;

export interface CompareOptions {
  /** Ids of the consumer. Those that the ledger knows are taken out: what is left is unknown. */
  ids: IdSet;
  deadLetters: Pick<IdSet, "has">;
  /** When the consumer's list was taken (epoch milliseconds). */
  asOf: number;
  /** By `emittedAt`. */
  stretch: Stretch;
}

export interface Compared {
  expected: number;
  emittedLater: number;
  /** When the youngest of the consumer's ids was emitted, where that was after the list is said to have been taken; else null. */
  notBefore: number | null;
  missing: MissingEvent[];
}

/** Compares the emitted responses of ledgers, some at a time, with what a consumer has. */
export function createComparison({ ids, deadLetters, asOf, stretch }: CompareOptions) {
  const compared: Compared = { expected: 0, emittedLater: 0, notBefore: null, missing: [] };

  function takeOne({ source, surveyId }: SurveyOf, { id, eventId, emittedAt }: EmittedResponse): void {
    const isThere = ids.take(eventId);
    const older = olderEventIds(source, surveyId, id, eventId);
    // All of them are known, and the latest tells.
    let has: number | null = null;
    for (const [i, one] of (older ?? []).entries()) if (ids.take(one)) has = i + 1;
    // A forgotten response has no time: its consumers may have forgotten it too.
    if (emittedAt === 0 || !includes(stretch, emittedAt)) return;
    if (emittedAt > asOf) {
      compared.emittedLater += 1;
      // The clocks of a bus and of a file differ by moments.
      if (isThere && emittedAt > asOf + ON_ITS_WAY) compared.notBefore = Math.max(compared.notBefore ?? 0, emittedAt);
      return;
    }
    compared.expected += 1;
    if (isThere) return;
    const revision = older === undefined ? null : older.length + 1;
    const cause = causeOf(eventId, emittedAt, has);
    compared.missing.push({ source, surveyId, responseId: id, eventId, revision, emittedAt, cause, has });
  }

  function causeOf(eventId: string, emittedAt: number, has: number | null): MissingEvent["cause"] {
    if (deadLetters.has(eventId)) return "dead-letter-queue";
    if (emittedAt > asOf - ON_ITS_WAY) return "on-its-way";
    return has === null ? "never-arrived" : "older-revision";
  }

  return {
    take(survey: SurveyOf, entries: readonly EmittedResponse[]): void {
      for (const entry of entries) takeOne(survey, entry);
    },
    compared,
  };
}
