import type { Simulator } from "../../local/simulator/index.ts";
import type { EventRow, Flag, Incident } from "../changes.ts";
import { type Concerned, createIncidents, type IncidentsOptions } from "./incidents.ts";
import { ALL, type Knob, knobs, type World } from "./knobs.ts";

/** The troubles of a demo. */
export interface Trouble {
  list: { kind: string; title: string; key: string }[];
  /** False where there is no such trouble. */
  pull(kind: string): Promise<boolean>;
  event(row: EventRow): void;
}

export interface TroubleOptions extends Omit<World, "emitted" | "freezeCounts">, Pick<IncidentsOptions, "shadow"> {
  tell(incident: Incident): void;
  flag(flag: Flag): void;
}

export function createTrouble({ tell, flag, shadow, ...world }: TroubleOptions): Trouble {
  const incidents = createIncidents({ simulator: world.simulator, shadow, tell });
  const freezeCounts = createFreeze(world.simulator);
  const waiting = new Map<string, () => void>();
  const keyOf = ({ surveyId, responseId }: Concerned): string => `${surveyId}/${responseId}`;

  const emitted = (concerned: Concerned): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(keyOf(concerned), resolve);
    return promise;
  };

  async function pullOne({ kind, title, pull }: Knob): Promise<void> {
    flag({ at: Date.now(), kind: "trouble", text: title });
    incidents.open({ kind, title, ...(await pull({ ...world, emitted, freezeCounts })) });
  }

  return {
    list: [...knobs, ALL].map(({ kind, title, key }) => ({ kind, title, key })),
    async pull(kind) {
      const chosen = kind === ALL.kind ? knobs : knobs.filter((knob) => knob.kind === kind);
      await Promise.all(chosen.map(pullOne));
      return chosen.length > 0;
    },
    event(row) {
      const { type, surveyId, responseId } = row;
      if (type === "response.completed" && surveyId !== null && responseId !== null) {
        const key = keyOf({ surveyId, responseId });
        waiting.get(key)?.();
        waiting.delete(key);
      }
      incidents.event(row);
    },
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
