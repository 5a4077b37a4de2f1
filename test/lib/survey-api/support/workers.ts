import type { Coordination, SharedPause, TokenRenewal } from "../../../../lib/survey-api/index.ts";
import { type Client, clientOf, type Service } from "./service.ts";

/** A coordination as a table would make it: one renewal after the other. */
export function workersOf(service: Service, count: number) {
  const shared = { kept: undefined as Client["store"]["kept"], turns: 0 };
  const pauses: SharedPause[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const coordination: Coordination = {
    renew({ look, ask }: TokenRenewal) {
      const turn = last.then(async () => {
        shared.turns += 1;
        return (await look()) ?? ask();
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    onPause: (pause) => void pauses.push(pause),
  };
  const tokenStore = {
    read: async () => shared.kept,
    write: async (token: Client["store"]["kept"]) => {
      shared.kept = token;
    },
  };
  const workers = Array.from({ length: count }, () => clientOf(service, { coordination, tokenStore }));
  return { workers, shared, pauses };
}
