import type { LedgerEntry, OutgoingEvent, PublishOutcome } from "../polling/index.ts";
import type { Log } from "./log.ts";
import type { Stories, Story } from "./story.ts";

/** A line of the log about an event: ids, times and words of the poller's own, and none of its contents. */
export interface EventLine {
  type: string;
  surveyId: number;
  responseId?: number;
  eventId: string;
  revision?: number;
  origin?: string;
  /** Of a response that is withheld: how. */
  state?: string;
  /** Of an update: what has changed. */
  changed?: readonly string[];
  /** Epoch milliseconds at which the event was made. */
  detectedAt: number;
  /** Milliseconds; see detection-lag.ts. */
  lag?: number;
  outcome: PublishOutcome["kind"];
  /** The bus's own, where it has not taken the event. */
  code?: string;
  listed?: Story["listed"];
  proved?: Story["proved"];
  /** Events that went to the bus together. */
  batch?: number;
  /** Attempts to get its details, where it took several. */
  attempts?: number;
  /** Milliseconds of each part of the way. */
  ms: { metrics?: number; metadata?: number; bus: number; ledger?: number };
}

/** The facts of an event that are known before it goes to the bus. */
export type Facts = Omit<EventLine, "outcome" | "code" | "listed" | "proved" | "batch" | "attempts" | "ms">;

export interface EventLines {
  /** Events came back from the bus, after so many milliseconds. */
  published(batch: readonly (Facts | undefined)[], outcomes: readonly PublishOutcome[], ms: number): void;
  /** Entries were read: those that wait are about to go on. */
  waiting(surveyId: number, entries: readonly LedgerEntry[]): void;
  /** Entries are in the ledger, after so many milliseconds. */
  written(surveyId: number, entries: readonly LedgerEntry[], ms: number): void;
  /** Writes the lines of those events of which the ledger has not said anything. */
  end(): void;
}

/**
 * Writes a line for each event of a response, at level info: of one that the bus has taken once it is in the ledger. The lines of other events, of
 * books and of surveys, are at level debug.
 */
export function eventLines(source: string, stories: Stories, logger: Log): EventLines {
  /** Events that the bus has taken, and the ledger not yet. By survey and response. */
  const pending = new Map<string, EventLine>();
  const write = (line: EventLine): void => logger.info("event", { source, ...line });
  const waiting: EventLines["waiting"] = (surveyId, entries) => {
    for (const { id, state, attempts } of entries) {
      if (state === "waiting" && typeof id === "number") stories.of(surveyId, id).attempts = attempts;
    }
  };
  return {
    waiting,
    published(batch, outcomes, bus) {
      for (const [i, facts] of batch.entries()) {
        if (facts === undefined) continue;
        const { kind: outcome, ...code } = outcomes[i] ?? { kind: "failed" as const };
        const line: EventLine = { ...facts, outcome, ...code, batch: batch.length, ms: { bus } };
        if (facts.responseId === undefined) {
          logger.debug("event", { source, ...line });
          continue;
        }
        if (!/^response\.(completed|updated)$/.test(facts.type)) {
          write(line);
          continue;
        }
        const told = { ...line, ...storyOf(stories.known(facts.surveyId, facts.responseId), line.ms) };
        if (outcome === "published") pending.set(keyOf(facts.surveyId, facts.responseId), told);
        else write(told);
      }
    },
    written(surveyId, entries, ledger) {
      waiting(surveyId, entries);
      if (pending.size === 0) return;
      for (const { id } of entries) {
        if (typeof id !== "number") continue;
        const key = keyOf(surveyId, id);
        const line = pending.get(key);
        if (line === undefined) continue;
        pending.delete(key);
        delete stories.known(surveyId, id)?.attempts;
        write({ ...line, ms: { ...line.ms, ledger } });
      }
    },
    end() {
      for (const line of pending.values()) write(line);
      pending.clear();
    },
  };
}

const keyOf = (surveyId: number, responseId: number): string => `${surveyId}/${responseId}`;

function storyOf(story: Story | undefined, { bus }: EventLine["ms"]): Partial<EventLine> {
  const { listed, proved, metrics, metadata, attempts } = story ?? {};
  return {
    ...(listed === undefined ? {} : { listed }),
    ...(proved === undefined ? {} : { proved }),
    ...(attempts === undefined ? {} : { attempts: attempts + 1 }),
    ms: { ...(metrics === undefined ? {} : { metrics }), ...(metadata === undefined ? {} : { metadata }), bus },
  };
}

/** The facts of an event that may stand in a log. */
export function factsOf({ type, time, detail: { meta, data } }: OutgoingEvent, lag: number | undefined): Facts {
  const { responseId, state } = data as { responseId?: number; state?: string };
  const { revision, origin, changed } = meta as { revision?: number; origin?: string; changed?: string[] };
  return {
    type,
    surveyId: data.surveyId,
    ...(responseId === undefined ? {} : { responseId }),
    eventId: meta.eventId,
    ...(revision === undefined ? {} : { revision }),
    ...(origin === undefined ? {} : { origin }),
    ...(state === undefined ? {} : { state }),
    ...(changed === undefined ? {} : { changed }),
    detectedAt: time,
    ...(lag === undefined ? {} : { lag }),
  };
}
