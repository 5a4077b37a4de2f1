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
  /** More words for a card that is open. */
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
/** Milliseconds after which what has no event yet is called lost. */
export const PATIENCE = 180_000;

/** Incident cards, which close by themselves with what has happened. */
export function createIncidents({ simulator, shadow, tell, now = Date.now }: IncidentsOptions): Incidents {
  const open = new Set<Open>();
  let made = 0;
  let timer: NodeJS.Timeout | undefined;
  const requests = (): number => simulator.counters().requests ?? 0;

  function look(): void {
    for (const one of open) {
      if (now() - one.incident.openedAt > PATIENCE) close(one);
      else if (one.left.size === 0 && one.isCalm && isTold(one)) close(one);
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
      },
    };
    tell({ ...one.incident, left: one.left.size, closed: { ...closed, sentence: sentenceOf(one.incident, closed) } });
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
  const all = concerned === 1 ? "Found" : `All ${concerned} found`;
  const found = lost === 0 ? all : `${concerned - lost} of ${concerned} found`;
  const again = repeated === 0 ? "" : ` ${repeated} came twice, under the same event id.`;
  const one = concerned === 1;
  const other =
    shadow.missed === 0
      ? "The cursor poller missed none."
      : one
        ? "The cursor poller missed it."
        : `The cursor poller missed ${shadow.missed}.`;
  return `${found} after ${took} s, ${requests} requests. Lost ${lost}.${again} ${other}`;
}
