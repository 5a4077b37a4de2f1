import { readEnvelope } from "../cli/hearing/event.ts";
import type { StatusAnswer } from "../cli/verbs/status/answer.ts";
import { createMatcher } from "../local/aws/event-bridge/matcher.ts";
import type { EventEnvelope } from "../local/aws/index.ts";
import { type EventRow, surveyKey } from "./changes.ts";

/** Events that can be opened, and ids by which a repeat is known. */
const MOST = { open: 1_000, ids: 100_000 };

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
  const kept: { row: EventRow; envelope: EventEnvelope }[] = [];
  const ids = new Set<string>();
  let number = 0;
  /** When first events were heard, by `surveyKey`. */
  const heard = new Map<string, number[]>();
  let repeated = 0;

  return {
    add(envelope: EventEnvelope, at: number): EventRow {
      const { meta, data } = readEnvelope(envelope)?.detail ?? { meta: {}, data: {} };
      const eventId = meta.eventId ?? envelope.id;
      const isRepeat = ids.has(eventId);
      if (isRepeat) repeated += 1;
      ids.add(eventId);
      if (ids.size > MOST.ids) for (const oldest of [...ids].slice(0, MOST.ids / 10)) ids.delete(oldest);
      number += 1;
      const completed = data.response?.completed?.at;
      const nps = data.summary?.nps;
      const row: EventRow = {
        number,
        at,
        type: envelope["detail-type"],
        eventId,
        source: meta.sourceName ?? null,
        surveyId: data.surveyId ?? null,
        survey: data.survey?.name ?? null,
        responseId: data.responseId ?? null,
        nps: nps?.score == null || nps.class == null ? null : { score: nps.score, class: nps.class },
        lag: completed == null || meta.origin === "backlog" ? null : Math.max(0, at - Date.parse(completed)),
        origin: meta.origin ?? null,
        revision: meta.revision ?? null,
        missing: meta.missing ?? [],
        isRepeat,
      };
      if (row.type === "response.completed" && !isRepeat && meta.test !== true) {
        const key = surveyKey(row.source, row.surveyId);
        const times = heard.get(key) ?? [];
        times.push(at);
        heard.set(key, times);
      }
      kept.push({ row, envelope });
      if (kept.length > MOST.open) kept.shift();
      return row;
    },
    find: (eventId: string) => kept.findLast(({ row }) => row.eventId === eventId),
    /** Numbers of the events that match a pattern, and of how many. Throws InvalidEventPatternError. */
    match(pattern: unknown) {
      const matches = createMatcher(pattern);
      const found = kept.filter(({ envelope }) => matches(envelope));
      return { numbers: found.map(({ row }) => row.number), of: kept.length };
    },
    repeated: () => repeated,
    /** First events heard since the books of their survey were closed, by `surveyKey`. */
    emittedSince({ surveys }: StatusAnswer): Record<string, number> {
      for (const { source, surveyId, books } of surveys) {
        if (books === null) continue;
        const key = surveyKey(source, surveyId);
        const since = heard.get(key)?.filter((at) => at > books.closedAt);
        heard.set(key, since ?? []);
      }
      return Object.fromEntries([...heard].map(([key, times]) => [key, times.length]));
    },
  };
}
