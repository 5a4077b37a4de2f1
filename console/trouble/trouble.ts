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

export interface TroubleOptions extends Omit<World, "emitted">, Pick<IncidentsOptions, "shadow"> {
  tell(incident: Incident): void;
  flag(flag: Flag): void;
}

export function createTrouble({ tell, flag, shadow, ...world }: TroubleOptions): Trouble {
  const incidents = createIncidents({ simulator: world.simulator, shadow, tell });
  const waiting = new Map<string, () => void>();

  const emitted = ({ surveyId, responseId }: Concerned): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(`${surveyId}/${responseId}`, resolve);
    return promise;
  };

  async function pullOne({ kind, title, pull }: Knob): Promise<void> {
    flag({ at: Date.now(), kind: "trouble", text: title });
    incidents.open({ kind, title, ...(await pull({ ...world, emitted })) });
  }

  return {
    list: [...knobs, ALL].map(({ kind, title, key }) => ({ kind, title, key })),
    async pull(kind) {
      const chosen = kind === ALL.kind ? knobs : knobs.filter((knob) => knob.kind === kind);
      await Promise.all(chosen.map(pullOne));
      return chosen.length > 0;
    },
    event(row) {
      if (row.type === "response.completed") waiting.get(`${row.surveyId}/${row.responseId}`)?.();
      incidents.event(row);
    },
  };
}
