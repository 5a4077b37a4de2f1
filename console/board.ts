import type { Activity, Change, EventRow, Flag, Incident, Snapshot, StripPoint } from "./changes.ts";
import { keep, latest } from "./kept.ts";

/** What a page begins with, and how much of each it keeps. */
export const KEPT = { events: 1_000, points: 600, marks: 100, incidents: 50 } as const;

/** What never changes while a run lasts. */
export type Ground = Pick<Snapshot, "run" | "startedAt" | "polled" | "flags" | "troubles" | "mayAct" | "dashboard">;

/** All that has been told, as a page that comes now has to know it. */
export interface Board {
  apply(change: Change): void;
  snapshot(): Snapshot;
}

export function createBoard(ground: Ground): Board {
  const events: EventRow[] = [];
  const points: StripPoint[] = [];
  const marks: Flag[] = [];
  const incidents = new Map<number, Incident>();
  const activities: Record<number, Activity> = {};
  let rest: Pick<Snapshot, "status" | "statusAt" | "statusFailure" | "shadow" | "requestsToday" | "tokenAt"> = {
    status: null,
    statusAt: null,
    statusFailure: null,
    shadow: null,
    requestsToday: null,
    tokenAt: null,
  };

  return {
    apply(change) {
      switch (change.kind) {
        case "event":
          return keep(events, change.row, KEPT.events);
        case "point":
          return keep(points, change.point, KEPT.points);
        case "flag":
          return keep(marks, change.flag, KEPT.marks);
        case "incident":
          return void incidents.set(change.incident.id, change.incident);
        case "activity":
          activities[change.surveyId] = change.activity;
          return;
        case "status":
          rest = { ...rest, status: change.status, statusAt: change.readAt, statusFailure: null };
          return;
        case "status failed":
          rest = { ...rest, statusFailure: change.message };
          return;
        case "shadow":
          rest = { ...rest, shadow: change.shadow };
          return;
        case "requests":
          rest = { ...rest, requestsToday: change.today };
          return;
        case "token":
          rest = { ...rest, tokenAt: change.fetchedAt };
      }
    },
    snapshot: () => ({
      ...ground,
      ...rest,
      events: latest(events, KEPT.events),
      points: latest(points, KEPT.points),
      marks: latest(marks, KEPT.marks),
      activities: { ...activities },
      incidents: latest([...incidents.values()], KEPT.incidents),
    }),
  };
}
