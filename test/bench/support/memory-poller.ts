import { type Ports, type Publisher, type State, tick } from "../../../lib/polling/index.ts";
import { CATCH_UP, toSurveyService } from "../../../lib/service/survey-service.ts";
import { createSurveyApi } from "../../../lib/survey-api/index.ts";
import { sealInline } from "../../support/memory-ports.ts";
import { memoryState } from "../../support/state-store.ts";
import { defaultSource } from "./default-source.ts";
import { type Drained, measured } from "./measure.ts";

/**
 * All responses of a service with their metrics and metadata as events, by the poller itself over ports in memory; with the number of
 * items written to the table.
 */
export async function drainInMemory(url: string, concurrency: number): Promise<Drained & { writes: number }> {
  const credentials = { clientId: "bench", clientSecret: "bench" };
  const api = createSurveyApi({ baseUrl: url, credentials, concurrency });
  const table = memoryState(Date.now);
  const { objects } = table.store;
  const { state, writes } = counted(table.state);
  let responses = 0;
  const ports: Ports = {
    clock: { now: Date.now, every: () => () => {} },
    service: toSurveyService(api),
    backlog: toSurveyService(api, CATCH_UP),
    state,
    publisher: takingAll(() => {
      responses += 1;
    }),
    vault: {
      put: async (key, value) => void objects.set(key, value),
      get: async (key) => objects.get(key),
      delete: async (key) => void objects.delete(key),
    },
    observe: () => {},
  };
  const source = defaultSource({ startFrom: "beginning", concurrency });
  const drained = await measured(async () => {
    await tick({ ports, source, owner: "bench", service: "bench", deadline: Number.POSITIVE_INFINITY, ownTime: ALL });
    return responses;
  });
  await api.close();
  return { ...drained, writes: writes() };
}

/** The tick may take whatever time it needs. */
const ALL = Number.POSITIVE_INFINITY;

/** A bus that takes whatever it is given; `took` is called for each event that has the contents of a response. */
function takingAll(took: () => void): Publisher {
  return {
    seal: sealInline,
    async publish(events, guard) {
      await guard();
      return events.map(({ type }) => {
        if (type === "response.completed" || type === "response.updated") took();
        return { kind: "published" };
      });
    },
  };
}

/** What only reads; everything else of the state writes. */
const READS = new Set<keyof State>(["account", "entries", "due", "nextDue", "emitted", "forRedrive"]);

/** The state as it is, and how many items were written to it. */
function counted(state: State): { state: State; writes: () => number } {
  let items = 0;
  const counting = new Proxy(state, {
    get(of, name: keyof State) {
      if (READS.has(name)) return of[name];
      return (...args: unknown[]) => {
        items += name === "putEntries" ? (args[1] as unknown[]).length : 1;
        return (of[name] as (...args: unknown[]) => unknown)(...args);
      };
    },
  });
  return { state: counting, writes: () => items };
}
