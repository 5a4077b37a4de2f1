import type { StatusAnswer } from "../cli/verbs/status/answer.ts";
import type { Miss } from "../local/simulator/shadow.ts";

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

export interface Activity {
  at: number;
  text: string;
}

export interface ShadowView {
  /** Responses completed since it began that are still there: found, missed and on their way add up to them. */
  completed: number;
  cursor: Fates & { twice: number };
  ours: Fates & { twice: number };
  /** The last of those that it has missed, newest first. */
  misses: Miss[];
}

export interface Fates {
  found: number;
  missed: number;
  onTheWay: number;
  /** Sent, deleted since, and nobody was told. */
  deleted: number;
}

export interface Incident {
  id: number;
  kind: string;
  title: string;
  openedAt: number;
  what: string;
  /** The card has taken so long that something may hold it up: a person should look at the verdict. */
  isOverdue?: true;
  /** Undefined while it is open. */
  closed?: {
    at: number;
    /** When the last of what it concerned had its event. */
    foundAt: number;
    requests: number;
    concerned: number;
    /** Without an event. A card stays open until there are none. */
    lost: number;
    repeated: number;
    shadow: { found: number; missed: number; notYet: number };
    sentence: string;
  };
  /** Events it still waits for. */
  left: number;
}

export type Change =
  | { kind: "event"; row: EventRow }
  /** What is so from now on. */
  | { kind: "now"; of: Partial<Omit<Snapshot, keyof Ground>> }
  | { kind: "activity"; survey: string; activity: Activity }
  | { kind: "point"; point: StripPoint }
  | { kind: "flag"; flag: Flag }
  | { kind: "incident"; incident: Incident };

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
  /** By `surveyKey`. */
  activities: Record<string, Activity>;
  incidents: Incident[];
}

/** How much a page keeps of each. */
const KEPT = { events: 1_000, points: 600, flagged: 100, incidents: 50 } as const;

/** Puts one change into what a page shows. Server and browser do it by this alone, so that they cannot disagree. */
export function applyChange(to: Snapshot, change: Change): void {
  if (change.kind === "event") keep(to.events, change.row, KEPT.events);
  if (change.kind === "point") keep(to.points, change.point, KEPT.points);
  if (change.kind === "flag") keep(to.flagged, change.flag, KEPT.flagged);
  if (change.kind === "activity") to.activities[change.survey] = change.activity;
  if (change.kind === "now") Object.assign(to, change.of);
  if (change.kind !== "incident") return;
  const at = to.incidents.findIndex(({ id }) => id === change.incident.id);
  if (at < 0) keep(to.incidents, change.incident, KEPT.incidents);
  else to.incidents[at] = change.incident;
}

/** As it is now: what is changed later is not changed in it. */
export function copyOf(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    events: snapshot.events.slice(-KEPT.events),
    points: snapshot.points.slice(-KEPT.points),
    flagged: snapshot.flagged.slice(-KEPT.flagged),
    incidents: snapshot.incidents.slice(-KEPT.incidents),
    activities: { ...snapshot.activities },
  };
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

/** Puts one more at the end, and lets the oldest go where there are more than `most`. */
export function keep<T>(all: T[], one: T, most: number): void {
  all.push(one);
  // Cut back now and then alone: a shift for each costs as much as a long list is long.
  if (all.length >= 2 * most) all.splice(0, all.length - most);
}

/** The text that the page is given in the place of something personal. */
export const MASK = "•••";
