import { FORGOTTEN } from "../../../lib/polling/model/ledger-entry.ts";
import { readEntries } from "../../../lib/state/ledger.ts";
import { olderEventIds } from "../../ids/event-ids.ts";
import type { Io } from "../../io.ts";
import { includes, type Stretch } from "../../moments.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { eachEmitted, type SurveyOf } from "../../target/emitted.ts";
import { tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import type { ResentItem } from "./answer.ts";
import type { Wanted } from "./send-again.ts";

const READ_AT_ONCE = 100;

/** Event ids by what the ledgers say of them: which would be sent, which have been replaced, and which are unknown. */
export async function ofEventIds(
  target: Target,
  io: Io,
  surveys: readonly SurveyOf[],
  eventIds: readonly string[],
): Promise<ResentItem[]> {
  const wanted = new Set(eventIds);
  const found = new Map<string, ResentItem>();
  await eachEmitted(target, surveys, io, (survey, entries) => {
    for (const { id, eventId, emittedAt } of entries) {
      if (found.size === wanted.size) return;
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId) ?? [];
      const revision = older.length + 1;
      const about = { ...survey, responseId: id, reason: null };
      if (wanted.has(eventId)) {
        // Of a forgotten one nothing is left but its id.
        const isForgotten = emittedAt === 0;
        found.set(eventId, {
          ...about,
          eventId,
          revision,
          ...(isForgotten ? { outcome: "not-emitted", reason: FORGOTTEN } : { outcome: "would-send" }),
          update: null,
        });
      }
      for (const [i, one] of older.entries()) {
        if (wanted.has(one))
          found.set(one, { ...about, eventId: one, revision: i + 1, outcome: "replaced", update: revision });
      }
    }
  });
  return [...wanted].map((eventId) => found.get(eventId) ?? unknown(eventId));
}

function unknown(eventId: string): ResentItem {
  const none = { source: null, surveyId: null, responseId: null, revision: null, reason: null, update: null };
  return { ...none, eventId, outcome: "unknown" };
}

/** Responses by what the ledger of a survey says of them. */
export async function ofResponses(
  target: Target,
  { source, surveyId }: SurveyOf,
  responseIds: readonly number[],
): Promise<ResentItem[]> {
  const ids = [...new Set(responseIds)];
  const items: ResentItem[] = [];
  for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
    const some = ids.slice(i, i + READ_AT_ONCE);
    const entries = await askingAws("the table could not be read", () =>
      readEntries(tableOf(target), source, surveyId, some),
    );
    for (const responseId of some) {
      const { state: known = "unknown", reason, eventId = null, revision = 1 } = entries.get(responseId) ?? {};
      const state = reason === FORGOTTEN ? FORGOTTEN : known;
      const about = { source, surveyId, responseId, update: null };
      items.push(
        state === "emitted"
          ? { ...about, eventId, revision, outcome: "would-send", reason: null }
          : { ...about, eventId: null, revision: null, outcome: "not-emitted", reason: state },
      );
    }
  }
  return items;
}

/** The last events of responses that were emitted in a stretch of time, oldest first. */
export async function emittedIn(
  target: Target,
  io: Io,
  surveys: readonly SurveyOf[],
  stretch: Stretch,
): Promise<ResentItem[]> {
  const found: { at: number; item: ResentItem }[] = [];
  await eachEmitted(target, surveys, io, (survey, entries) => {
    for (const { id, eventId, emittedAt } of entries) {
      // A forgotten one has no time.
      if (emittedAt === 0 || !includes(stretch, emittedAt)) continue;
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId);
      const revision = older === undefined ? null : older.length + 1;
      const about = { ...survey, responseId: id, eventId, revision };
      found.push({ at: emittedAt, item: { ...about, outcome: "would-send", reason: null, update: null } });
    }
  });
  return found.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** The events that would be sent, by their survey. */
export function wantedOf(items: readonly ResentItem[]): Wanted[] {
  const bySurvey = new Map<string, Wanted>();
  for (const { source, surveyId, responseId, outcome } of items) {
    if (outcome !== "would-send" || source === null || surveyId === null || responseId === null) continue;
    const key = `${source}/${surveyId}`;
    const wanted = bySurvey.get(key) ?? { source, surveyId, responseIds: [] };
    wanted.responseIds.push(responseId);
    bySurvey.set(key, wanted);
  }
  return [...bySurvey.values()];
}
