import type { StatusAnswer } from "../cli/verbs/status/answer.ts";
import type { Followed } from "../local/simulator/shadow.ts";

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

export function responseKey({ surveyId, responseId }: Pick<EventRow, "surveyId" | "responseId">): string {
  return `${surveyId}/${responseId}`;
}

export interface ShadowView {
  /** Responses completed since it began that are still there: found, missed and on their way add up to them. */
  completed: number;
  cursor: Fates;
  ours: Fates;
  /** The last of those that it has missed, newest first. */
  misses: Followed[];
}

export interface Fates {
  found: number;
  missed: number;
  onTheWay: number;
  /** Sent, deleted since, and nobody was told. */
  deleted: number;
  twice: number;
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

export type Change =
  | { kind: "event"; row: EventRow }
  | { kind: "point"; point: StripPoint }
  | { kind: "flag"; flag: Flag }
  /** What is so from now on. */
  | { kind: "now"; of: Partial<Omit<Snapshot, keyof Ground>> };

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

/** How much a page keeps of each. */
const KEPT = { events: 1_000, points: 600, flagged: 100 } as const;

/** What a page shows after one change. Server and browser work it out by this alone, so that they cannot disagree. */
export function applied(to: Snapshot, change: Change): Snapshot {
  switch (change.kind) {
    case "event":
      return { ...to, events: withOne(to.events, change.row, KEPT.events) };
    case "point":
      return { ...to, points: withOne(to.points, change.point, KEPT.points) };
    case "flag":
      return { ...to, flagged: withOne(to.flagged, change.flag, KEPT.flagged) };
    case "now":
      return { ...to, ...change.of };
  }
}

/** With one more at the end, and without the oldest where there are more than `most`. */
export function withOne<T>(all: readonly T[], one: T, most: number): T[] {
  return [...all.slice(-most + 1), one];
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
