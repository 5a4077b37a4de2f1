import type { Shadow, Simulator } from "../../local/simulator/index.ts";
import type { EventRow, Incident } from "../changes.ts";

/** A response that a trouble concerns: it has to become an event. */
export interface Concerned {
  surveyId: number;
  responseId: number;
}

export interface Incidents {
  /** Opens a card. It is closed once everything concerned has its event and `calm` has come. */
  open(incident: { kind: string; title: string; what: string; concerned: Concerned[]; calm?: Promise<void> }): void;
  /** An event that the bus has taken. */
  event(row: EventRow): void;
}

export interface IncidentsOptions {
  simulator: Pick<Simulator, "counters">;
  shadow: Pick<Shadow, "fate">;
  tell(incident: Incident): void;
  now?: () => number;
}

interface Open {
  incident: Incident;
  concerned: Concerned[];
  left: Set<string>;
  requestsBefore: number;
  /** Set once all is found. */
  requests: number | undefined;
  foundAt: number;
  repeated: number;
  isCalm: boolean;
}

/** Milliseconds for which the poller with the cursor may take its time after this one has found everything. */
const SHADOW_PATIENCE = 8_000;
const LOOK_EVERY = 250;
/** Milliseconds after which a card says that something may keep what has no event yet. */
export const PATIENCE = 60_000;

/** Incident cards, which close when their responses have come to an end. */
export function createIncidents({ simulator, shadow, tell, now = Date.now }: IncidentsOptions): Incidents {
  const open = new Set<Open>();
  let made = 0;
  let timer: NodeJS.Timeout | undefined;
  const requests = (): number => simulator.counters().requests ?? 0;

  function look(): void {
    for (const one of open) {
      if (one.left.size === 0 && one.isCalm && isTold(one)) close(one);
      else if (one.incident.isOverdue === undefined && now() - one.incident.openedAt > PATIENCE) {
        one.incident.isOverdue = true;
        tell({ ...one.incident, left: one.left.size });
      }
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  const fatesOf = ({ concerned }: Open) =>
    concerned.map(({ surveyId, responseId }) => shadow.fate(surveyId, responseId));

  function isTold(one: Open): boolean {
    return !fatesOf(one).includes("not yet") || now() - one.foundAt >= SHADOW_PATIENCE;
  }

  function close(one: Open): void {
    const fates = fatesOf(one);
    open.delete(one);
    const closed: Omit<NonNullable<Incident["closed"]>, "sentence"> = {
      at: now(),
      foundAt: one.foundAt,
      requests: one.requests ?? requests() - one.requestsBefore,
      concerned: one.concerned.length,
      lost: one.left.size,
      repeated: one.repeated,
      shadow: {
        found: fates.filter((fate) => fate === "found").length,
        missed: fates.filter((fate) => fate === "missed").length,
        notYet: fates.filter((fate) => fate === "not yet").length,
      },
    };
    tell({ ...one.incident, left: 0, closed: { ...closed, sentence: sentenceOf(one.incident, closed) } });
  }

  return {
    open({ concerned, calm = Promise.resolve(), ...words }) {
      made += 1;
      const at = now();
      const incident: Incident = { id: made, ...words, openedAt: at, left: concerned.length };
      const left = new Set(concerned.map(keyOf));
      const one: Open = {
        ...{ incident, concerned, left, requestsBefore: requests(), requests: undefined },
        ...{ foundAt: at, repeated: 0, isCalm: false },
      };
      open.add(one);
      tell(incident);
      void calm.finally(() => {
        one.isCalm = true;
        if (one.concerned.length === 0) one.foundAt = now();
        one.requests ??= left.size === 0 ? requests() - one.requestsBefore : undefined;
      });
      timer ??= setInterval(look, LOOK_EVERY);
      timer.unref();
    },
    event(row) {
      if (row.type !== "response.completed" || row.surveyId === null || row.responseId === null) return;
      const key = keyOf({ surveyId: row.surveyId, responseId: row.responseId });
      for (const one of open) {
        if (row.isRepeat && one.concerned.some((each) => keyOf(each) === key)) one.repeated += 1;
        if (!one.left.delete(key)) continue;
        one.foundAt = row.at;
        if (one.left.size === 0) one.requests = requests() - one.requestsBefore;
        tell({ ...one.incident, left: one.left.size });
      }
    },
  };
}

function keyOf({ surveyId, responseId }: Concerned): string {
  return `${surveyId}/${responseId}`;
}

function sentenceOf(
  { openedAt }: Incident,
  { foundAt, requests, concerned, lost, repeated, shadow }: Omit<NonNullable<Incident["closed"]>, "sentence">,
): string {
  const took = ((foundAt - openedAt) / 1_000).toFixed(1);
  const found = concerned === 1 ? "Found" : `All ${concerned} found`;
  const again = repeated === 0 ? "" : ` ${repeated} came twice, under the same event id.`;
  return `${found} after ${took} s, ${requests} requests. Lost ${lost}.${again} ${ofShadow(shadow, concerned)}`;
}

function ofShadow({ missed, notYet }: NonNullable<Incident["closed"]>["shadow"], concerned: number): string {
  if (notYet > 0) return `The cursor poller has not found ${concerned === 1 ? "it" : notYet} yet.`;
  if (missed === 0) return "The cursor poller missed none.";
  return `The cursor poller missed ${concerned === 1 ? "it" : missed}.`;
}
