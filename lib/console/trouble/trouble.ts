import type { Shadow, Simulator } from "../../local/simulator/index.ts";
import { type EventRow, type Incident, responseKey } from "../changes.ts";
import { ALL, type Done, knobs, type World } from "./knobs.ts";

interface TroubleOptions extends Omit<World, "counts">, Pick<IncidentsOptions, "shadow" | "tell"> {
  /** To be seen on the strip. */
  flag(text: string): void;
}

export function createTrouble({ tell, flag, shadow, ...given }: TroubleOptions) {
  const incidents = createIncidents({ simulator: given.simulator, shadow, tell });
  const world = { ...given, counts: given.simulator.settings().counts };
  return {
    list: [...knobs, ALL].map(({ kind, title, key }) => ({ kind, title, key })),
    /** False where there is no such trouble. */
    async pull(kind: string): Promise<boolean> {
      const chosen = kind === ALL.kind ? knobs : knobs.filter((knob) => knob.kind === kind);
      await Promise.all(
        chosen.map(async (knob) => {
          flag(knob.title);
          incidents.open(knob, await knob.pull(world));
        }),
      );
      return chosen.length > 0;
    },
    event: incidents.event,
  };
}

interface IncidentsOptions {
  simulator: Pick<Simulator, "counters">;
  shadow: Pick<Shadow, "fate">;
  /** Gets all cards, whenever one has changed. */
  tell(incidents: Incident[]): void;
}

interface Open extends Pick<Done, "concerned" | "end"> {
  incident: Incident;
  left: Set<string>;
  requestsBefore: number;
  /** When all was found, and after how many requests. */
  foundAt: number;
  requests: number;
  repeated: number;
  isCalm: boolean;
}

/** Milliseconds for which the poller with the cursor may take its time after this one has found everything. */
const SHADOW_PATIENCE = 8_000;
const LOOK_EVERY = 250;
/** Cards that are kept. */
const MOST = 50;

/** Incident cards, which close when their responses have come to an end. */
export function createIncidents({ simulator, shadow, tell }: IncidentsOptions) {
  const open = new Set<Open>();
  const cards = new Map<number, Incident>();
  let made = 0;
  let timer: NodeJS.Timeout | undefined;
  const requests = (): number => simulator.counters().requests ?? 0;

  function show(card: Incident): void {
    cards.set(card.id, card);
    tell([...cards.values()].slice(-MOST));
  }

  function look(): void {
    for (const one of open) {
      const { incident, concerned, left, foundAt, isCalm, end } = one;
      const fates = concerned.map(({ surveyId, responseId }) => shadow.fate(surveyId, responseId));
      const isTold = !fates.includes("onTheWay") || Date.now() - foundAt >= SHADOW_PATIENCE;
      if (left.size > 0 || !isCalm || !isTold) continue;
      open.delete(one);
      end?.();
      show({ ...incident, left: 0, closed: { foundAt, sentence: sentenceOf(one, fates) } });
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Opens a card. It is closed once everything concerned has its event and `calm` has come. */
    open({ kind, title }: Pick<Incident, "kind" | "title">, { what, concerned, calm, end }: Done): void {
      made += 1;
      const at = Date.now();
      const incident: Incident = { id: made, kind, title, what, openedAt: at, left: concerned.length };
      const left = new Set(concerned.map(responseKey));
      const one: Open = {
        ...{ incident, concerned, end, left, requestsBefore: requests() },
        ...{ foundAt: at, requests: 0, repeated: 0, isCalm: false },
      };
      open.add(one);
      show(incident);
      void Promise.resolve(calm).finally(() => {
        one.isCalm = true;
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
        one.requests = requests() - one.requestsBefore;
        show({ ...one.incident, left: one.left.size });
      }
    },
  };
}

/** Of a card that closes nothing is lost: it stays open until then. */
function sentenceOf({ foundAt, requests, repeated, incident, concerned }: Open, fates: unknown[]): string {
  const took = ((foundAt - incident.openedAt) / 1_000).toFixed(1);
  const found = concerned.length === 1 ? "Found" : `All ${concerned.length} found`;
  const again = repeated === 0 ? "" : ` ${repeated} came twice, under the same event id.`;
  return `${found} after ${took} s, ${requests} requests. Lost 0.${again} ${ofShadow(fates)}`;
}

function ofShadow(fates: readonly unknown[]): string {
  const which = (wanted: string): number | "it" => {
    const count = fates.filter((fate) => fate === wanted).length;
    return fates.length === 1 && count === 1 ? "it" : count;
  };
  if (fates.includes("onTheWay")) return `The cursor poller has not found ${which("onTheWay")} yet.`;
  return `The cursor poller missed ${which("missed") || "none"}.`;
}
