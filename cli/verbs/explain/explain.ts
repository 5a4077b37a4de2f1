import type { ExplainAnswer } from "./answer.ts";
import type { Facts } from "./facts.ts";
import { stepsOf } from "./steps.ts";
import { verdictOf } from "./verdict.ts";

/** The story of a response, of all that is known of it. Pure. */
export function explain(facts: Facts): ExplainAnswer {
  const { source, surveyId, id, entry, mark, account, isListed, log } = facts;
  return {
    source: source.name,
    surveyId,
    responseId: id,
    ...verdictOf(facts),
    steps: stepsOf(facts),
    ledger:
      entry === undefined
        ? null
        : {
            state: entry.state,
            eventId: entry.eventId ?? null,
            revision: entry.revision ?? null,
            emittedAt: entry.emittedAt ?? null,
            firstSeen: entry.firstSeen ?? null,
            nextCheck: entry.nextCheck ?? null,
            attempts: entry.attempts ?? null,
            records: entry.count ?? null,
            reason: entry.reason ?? null,
            goneSince: entry.gone?.since ?? null,
          },
    survey: {
      name: mark.survey?.facts.name ?? null,
      phase: mark.phase.kind,
      floor: account.start?.at ?? null,
      highWater: mark.highWater?.responseId ?? null,
      booksClosedAt: mark.books?.closedAt ?? null,
      listedByBooks: isListed ?? null,
    },
    log: { lines: log.lines.length, from: log.from, note: noteOf(facts) },
  };
}

/** Why the log tells less than one may expect; null where it tells all. */
function noteOf({ entry, log, source }: Facts): string | null {
  if (entry?.state !== "emitted" || log.lines.some(({ eventId }) => eventId === entry.eventId)) return null;
  if (source.logLevel === "warn" || source.logLevel === "error") {
    return `The log has no lines of events: logLevel of ${source.name} is "${source.logLevel}".`;
  }
  return "The log has no line of its event any more: what is told here is what the ledger has.";
}
