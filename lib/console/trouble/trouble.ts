import { pause } from "../../local/pause.ts";
import { responseKey, type Shadow, type Simulator } from "../../local/simulator/index.ts";
import type { EventRow, Incident } from "../changes.ts";
import { type Done, type Knob, knobs, type World } from "./knobs.ts";

interface TroubleOptions extends Omit<World, "counts">, IncidentsOptions {
  simulator: Simulator;
  /** To be seen on the strip. */
  flag(text: string): void;
}

/** All of them, one right after the other. */
const ALL = { kind: "all", title: "All at once" };

export function createTrouble({ tell, flag, shadow, ...given }: TroubleOptions) {
  const incidents = createIncidents({ ...given, shadow, tell });
  const world = { ...given, counts: given.simulator.settings().counts };
  return {
    list: [...knobs, ALL].map(({ kind, title }, i) => ({ kind, title, key: String((i + 1) % 10) })),
    /** False where there is no such trouble. */
    async pull(kind: string): Promise<boolean> {
      const chosen = kind === ALL.kind ? knobs : knobs.filter((knob) => knob.kind === kind);
      await Promise.all(
        chosen.map(async (knob) => {
          flag(knob.title);
          void incidents.open(knob, await knob.pull(world));
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
  signal: AbortSignal;
  /** Gets all cards, whenever one has changed. */
  tell(incidents: Incident[]): void;
}

/** An incident that is not over. */
interface Open {
  incident: Incident;
  keys: ReadonlySet<string>;
  /** Of those the ones that have no event yet. */
  left: Set<string>;
  requestsBefore: number;
  /** When all was found, and after how many requests. */
  foundAt: number;
  requests: number;
  repeated: number;
  found: PromiseWithResolvers<void>;
}

/** Milliseconds for which the poller with the cursor may take its time after this one has found everything. */
const SHADOW_PATIENCE = 8_000;
const LOOK_EVERY = 250;
/** Cards that are kept. */
const MOST = 50;

/** Incident cards, which close when their responses have come to an end. */
export function createIncidents({ simulator, shadow, signal, tell }: IncidentsOptions) {
  const open = new Set<Open>();
  const cards = new Map<number, Incident>();
  const requests = (): number => simulator.counters().requests ?? 0;
  let made = 0;

  function show(card: Incident): void {
    cards.set(card.id, card);
    tell([...cards.values()].slice(-MOST));
  }

  return {
    /** Opens a card. It is closed once everything concerned has its event and `calm` has come. */
    async open({ kind, title }: Pick<Knob, "kind" | "title">, { what, concerned, calm, end }: Done): Promise<void> {
      made += 1;
      const at = Date.now();
      const incident: Incident = { id: made, kind, title, what, openedAt: at, left: concerned.length };
      const keys = new Set(concerned.map(responseKey));
      const found = Promise.withResolvers<void>();
      const one: Open = {
        ...{ incident, keys, left: new Set(keys), requestsBefore: requests(), found },
        ...{ foundAt: at, requests: 0, repeated: 0 },
      };
      open.add(one);
      show(incident);
      await Promise.allSettled([calm, found.promise]);
      const fates = () => concerned.map(({ surveyId, responseId }) => shadow.fate(surveyId, responseId));
      while (fates().includes("onTheWay") && Date.now() - one.foundAt < SHADOW_PATIENCE && !signal.aborted) {
        await pause(LOOK_EVERY, signal);
      }
      open.delete(one);
      end?.();
      show({ ...incident, left: 0, closed: { foundAt: one.foundAt, sentence: sentenceOf(one, fates()) } });
    },
    event({ type, isRepeat, at, ...row }: EventRow): void {
      if (type !== "response.completed") return;
      const key = responseKey(row);
      for (const one of open) {
        if (isRepeat && one.keys.has(key)) one.repeated += 1;
        if (!one.left.delete(key)) continue;
        one.foundAt = at;
        one.requests = requests() - one.requestsBefore;
        show({ ...one.incident, left: one.left.size });
        if (one.left.size === 0) one.found.resolve();
      }
    },
  };
}

/** Of a card that closes nothing is lost: it stays open until then. */
function sentenceOf({ foundAt, requests, repeated, incident, keys }: Open, fates: unknown[]): string {
  const took = ((foundAt - incident.openedAt) / 1_000).toFixed(1);
  const found = keys.size === 1 ? "Found" : `All ${keys.size} found`;
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
