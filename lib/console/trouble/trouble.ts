import type { Shadow, Simulator } from "../../local/simulator/index.ts";
import { type EventRow, type Incident, responseKey } from "../changes.ts";
import { ALL, type Done, type Knob, knobs, type World } from "./knobs.ts";

interface TroubleOptions extends Omit<World, "freezeCounts">, Pick<IncidentsOptions, "shadow"> {
  tell(incident: Incident): void;
  /** To be seen on the strip. */
  flag(text: string): void;
}

export function createTrouble({ tell, flag, shadow, ...world }: TroubleOptions) {
  const incidents = createIncidents({ simulator: world.simulator, shadow, tell });
  const freezeCounts = createFreeze(world.simulator);

  async function pullOne({ kind, title, pull }: Knob): Promise<void> {
    flag(title);
    incidents.open({ kind, title, ...(await pull({ ...world, freezeCounts })) });
  }

  return {
    list: [...knobs, ALL].map(({ kind, title, key }) => ({ kind, title, key })),
    /** False where there is no such trouble. */
    async pull(kind: string): Promise<boolean> {
      const chosen = kind === ALL.kind ? knobs : knobs.filter((knob) => knob.kind === kind);
      await Promise.all(chosen.map(pullOne));
      return chosen.length > 0;
    },
    event: incidents.event,
  };
}

function createFreeze(simulator: Simulator): World["freezeCounts"] {
  const holding = new Set<symbol>();
  let truthful = simulator.settings().counts;
  return () => {
    const mine = Symbol("freeze");
    if (holding.size === 0) truthful = simulator.settings().counts;
    holding.add(mine);
    simulator.set({ counts: { responses: "frozen", correct: "frozen", unpaidResponses: "frozen" } });
    return () => {
      if (holding.delete(mine) && holding.size === 0) simulator.set({ counts: truthful });
    };
  };
}

interface IncidentsOptions {
  simulator: Pick<Simulator, "counters">;
  shadow: Pick<Shadow, "fate">;
  tell(incident: Incident): void;
}

interface Open extends Pick<Done, "concerned" | "found"> {
  incident: Incident;
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
export function createIncidents({ simulator, shadow, tell }: IncidentsOptions) {
  const open = new Set<Open>();
  let made = 0;
  let timer: NodeJS.Timeout | undefined;
  const requests = (): number => simulator.counters().requests ?? 0;

  function look(): void {
    for (const one of open) {
      const fates = one.concerned.map(({ surveyId, responseId }) => shadow.fate(surveyId, responseId));
      const isTold = !fates.includes("not yet") || Date.now() - one.foundAt >= SHADOW_PATIENCE;
      if (one.left.size === 0 && one.isCalm && isTold) {
        open.delete(one);
        tell({ ...one.incident, left: 0, closed: closedOf(one, fates, requests()) });
      } else if (one.incident.isOverdue === undefined && Date.now() - one.incident.openedAt > PATIENCE) {
        one.incident.isOverdue = true;
        tell({ ...one.incident, left: one.left.size });
      }
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Opens a card. It is closed once everything concerned has its event and `calm` has come. */
    open({
      kind,
      title,
      what,
      concerned,
      calm = Promise.resolve(),
      found,
    }: Pick<Incident, "kind" | "title"> & Done): void {
      made += 1;
      const at = Date.now();
      const incident: Incident = { id: made, kind, title, what, openedAt: at, left: concerned.length };
      const left = new Set(concerned.map(responseKey));
      const one: Open = {
        ...{ incident, concerned, found, left, requestsBefore: requests(), requests: undefined },
        ...{ foundAt: at, repeated: 0, isCalm: false },
      };
      open.add(one);
      tell(incident);
      void calm.finally(() => {
        one.isCalm = true;
        if (concerned.length === 0) one.foundAt = Date.now();
        if (left.size === 0) one.requests ??= requests() - one.requestsBefore;
      });
      timer ??= setInterval(look, LOOK_EVERY);
      timer.unref();
    },
    event({ type, isRepeat, at, ...row }: EventRow): void {
      if (type !== "response.completed") return;
      const key = responseKey(row);
      for (const one of open) {
        if (isRepeat && one.concerned.some((each) => responseKey(each) === key)) one.repeated += 1;
        if (!one.left.delete(key)) continue;
        one.foundAt = at;
        if (one.left.size === 0) {
          one.requests = requests() - one.requestsBefore;
          one.found?.();
        }
        tell({ ...one.incident, left: one.left.size });
      }
    },
  };
}

function closedOf(one: Open, fates: readonly unknown[], requestsNow: number): NonNullable<Incident["closed"]> {
  const { foundAt, repeated, left, incident } = one;
  const count = (wanted: string): number => fates.filter((fate) => fate === wanted).length;
  const shadow = { found: count("found"), missed: count("missed"), notYet: count("not yet") };
  const requests = one.requests ?? requestsNow - one.requestsBefore;
  const concerned = one.concerned.length;
  const took = ((foundAt - incident.openedAt) / 1_000).toFixed(1);
  const found = concerned === 1 ? "Found" : `All ${concerned} found`;
  const again = repeated === 0 ? "" : ` ${repeated} came twice, under the same event id.`;
  const sentence = `${found} after ${took} s, ${requests} requests. Lost ${left.size}.${again} ${ofShadow(shadow, concerned)}`;
  return { at: Date.now(), foundAt, requests, concerned, lost: left.size, repeated, shadow, sentence };
}

function ofShadow({ missed, notYet }: { missed: number; notYet: number }, concerned: number): string {
  if (notYet > 0) return `The cursor poller has not found ${concerned === 1 ? "it" : notYet} yet.`;
  if (missed === 0) return "The cursor poller missed none.";
  return `The cursor poller missed ${concerned === 1 ? "it" : missed}.`;
}
