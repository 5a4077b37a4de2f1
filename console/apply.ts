import type { Change, Snapshot } from "./changes.ts";
import { keep, latest } from "./kept.ts";

/** How much a page keeps of each. */
const KEPT = { events: 1_000, points: 600, flagged: 100, incidents: 50 } as const;

/** Puts one change into what a page shows. Server and browser do it by this alone, so that they cannot disagree. */
export function applyChange(to: Snapshot, change: Change): void {
  switch (change.kind) {
    case "event":
      keep(to.events, change.row, KEPT.events);
      return;
    case "point":
      keep(to.points, change.point, KEPT.points);
      return;
    case "flag":
      keep(to.flagged, change.flag, KEPT.flagged);
      return;
    case "incident": {
      const at = to.incidents.findIndex(({ id }) => id === change.incident.id);
      if (at < 0) keep(to.incidents, change.incident, KEPT.incidents);
      else to.incidents[at] = change.incident;
      return;
    }
    case "activity":
      to.activities[change.survey] = change.activity;
      return;
    case "status":
      Object.assign(to, {
        ...{ status: change.status, statusAt: change.readAt, statusFailure: null },
        emittedSince: change.emittedSince,
      });
      return;
    case "status failed":
      to.statusFailure = change.message;
      return;
    case "ended":
      to.ended = change.ended;
      return;
    case "shadow":
      to.shadow = change.shadow;
      return;
    case "requests":
      to.requestsToday = change.today;
      return;
    case "token":
      to.tokenAt = change.fetchedAt;
  }
}

/** As it is now: what is changed later is not changed in it. */
export function copyOf(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    events: latest(snapshot.events, KEPT.events),
    points: latest(snapshot.points, KEPT.points),
    flagged: latest(snapshot.flagged, KEPT.flagged),
    incidents: latest(snapshot.incidents, KEPT.incidents),
    activities: { ...snapshot.activities },
  };
}

/** The facts that never change while a run lasts. */
export type Ground = Pick<Snapshot, "run" | "polled" | "command" | "flags" | "troubles" | "mayAct" | "elsewhere">;

export function emptySnapshot(ground: Ground): Snapshot {
  return {
    ...ground,
    ...{
      status: null,
      statusAt: null,
      statusFailure: null,
      ended: null,
      shadow: null,
      requestsToday: null,
      tokenAt: null,
    },
    emittedSince: {},
    ...{ events: [], points: [], flagged: [], incidents: [], activities: {} },
  };
}
