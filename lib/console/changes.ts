import { COUNTED, type StatusAnswer } from "../cli/verbs/status/answer.ts";
import type { ShadowView } from "../local/simulator/shadow.ts";

// What the server tells the page. Times are epoch milliseconds. Nothing personal is in any of it.

/** A line of the stream: what is said of an event without opening it. */
export interface EventRow {
  /** The how many-th event of the run. */
  number: number;
  at: number;
  type: string;
  eventId: string;
  source: string | null;
  surveyId: number | null;
  survey: string | null;
  responseId: number | null;
  nps: { score: number; class: string } | null;
  /** Milliseconds from completion to the bus; null without a time zone, and of a backlog. */
  lag: number | null;
  origin: string | null;
  revision: number | null;
  /** The parts that could not be had, such as `metrics:gave-up`. */
  missing: string[];
  /** Whether the bus has had this event id before. */
  isRepeat: boolean;
}

export interface StripPoint {
  at: number;
  requests: { ok: number; refused: number; failed: number };
  /** Of the events of the last minute; null where there was none. */
  p50: number | null;
  p90: number | null;
}

export interface Flag {
  at: number;
  /** From when to when, of a pause whose end is known. */
  span?: [from: number, to: number];
  kind: "trouble" | "token" | "restart" | "pause" | "action" | "verdict";
  text: string;
}

/** Two sources may have surveys of the same id. */
export function surveyKey(source: string | null, surveyId: number | null): string {
  return `${source}/${surveyId}`;
}

/** The card of a trouble. */
export interface Incident {
  id: number;
  kind: string;
  title: string;
  openedAt: number;
  what: string;
  /** Events it still waits for. */
  left: number;
  /** Undefined while something has no event yet. */
  closed?: {
    /** When the last of what it concerned had its event. */
    foundAt: number;
    sentence: string;
  };
}

export interface Snapshot {
  /** Another one after each start: nothing of the one before holds. */
  run: string;
  polled: string;
  /** How a command line begins here, and how it names the poller. */
  command: string;
  flags: string;
  /** Whether the poller may be paused, resumed and audited from the page. */
  mayAct: boolean;
  /** Of a poller that runs in another process: where its requests are drawn, and whether its events are heard. */
  elsewhere: { requests: string; isHeard: boolean } | null;
  /** Troubles that can be made; none but in a demo. */
  troubles: { kind: string; title: string; key: string }[];
  status: StatusAnswer | null;
  statusAt: number | null;
  statusFailure: string | null;
  /** Set once the server ends: what could not go on, or null where it ends as it should. */
  ended: { at: number; cause: string | null } | null;
  /** First events heard since the books of their survey were closed, by `surveyKey`. */
  emittedSince: Record<string, number>;
  /** Oldest first. */
  events: EventRow[];
  shadow: ShadowView | null;
  points: StripPoint[];
  flagged: Flag[];
  /** Requests of today (UTC) that this process has made; null where the poller runs elsewhere. */
  requestsToday: number | null;
  /** When the oldest token in use was fetched; null where that is not known. */
  tokenAt: number | null;
  /** What goes on, by `surveyKey`. */
  activities: Record<string, string>;
  /** Of the troubles that were made, the oldest first. */
  incidents: Incident[];
}

/** What has come: of a list the last of it, and of all else what is so from now on. */
export type Change = Partial<Snapshot>;

/** Lists that grow, and how much a page keeps of each. */
const KEPT = { events: 1_000, points: 600, flagged: 100 } as const;

/** What is so after a change. Server and browser work it out by this alone, so that they cannot disagree. */
export function withChange<Of extends Change>(before: Of, change: Change): Of {
  const grown = Object.entries(KEPT).flatMap(([name, most]) => {
    const [old = [], more] = [before[name as keyof typeof KEPT], change[name as keyof typeof KEPT]];
    return more === undefined ? [] : [[name, [...old, ...more].slice(-most)]];
  });
  return { ...before, ...change, ...Object.fromEntries(grown) };
}

/** The facts that never change while a run lasts. */
export type Ground = Pick<Snapshot, "run" | "polled" | "command" | "flags" | "troubles" | "mayAct" | "elsewhere">;

export function emptySnapshot(ground: Ground): Snapshot {
  return {
    ...ground,
    ...{ status: null, statusAt: null, statusFailure: null, ended: null },
    ...{ shadow: null, requestsToday: null, tokenAt: null },
    ...{ emittedSince: {}, events: [], points: [], flagged: [], incidents: [], activities: {} },
  };
}

/** The text that the page is given in the place of something personal. */
export const MASK = "•••";

export const PARTS = ["emitted", "beforeStart", ...COUNTED, "unaccounted"] as const;
export type Part = (typeof PARTS)[number];

/**
 * The figures of now. What is not settled the ledger counts. What is emitted is what was emitted when the books were closed, or in a first read
 * so far, and what has been heard on the bus since.
 */
export function figuresOf(
  status: Pick<StatusAnswer, "surveys"> | null,
  emittedSince: Readonly<Record<string, number>>,
): Record<Part, number> {
  const figures = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  const unseen = { ...emittedSince };
  for (const { source, surveyId, books, backlog, unaccounted, now } of status?.surveys ?? []) {
    const key = surveyKey(source, surveyId);
    const since = unseen[key] ?? 0;
    delete unseen[key];
    figures.emitted += backlog?.emitted ?? (books?.emitted ?? 0) + since;
    figures.beforeStart += books?.beforeStart ?? 0;
    figures.unaccounted += unaccounted;
    for (const part of COUNTED) figures[part] += now[part];
  }
  // Until a first tick has come to its end, its surveys are known by their events alone.
  for (const since of Object.values(unseen)) figures.emitted += since;
  return figures;
}
