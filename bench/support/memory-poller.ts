import { type Ports, type Publisher, type State, tick } from "../../lib/polling/index.ts";
import { CATCH_UP, toSurveyService } from "../../lib/service/survey-service.ts";
import { createSurveyApi } from "../../lib/survey-api/index.ts";
import { defaultSource } from "./default-source.ts";
import { type Drained, measured } from "./measure.ts";
import { createTable, statePort } from "./memory-state.ts";

export interface MemoryDrain extends Drained {
  /** Items written to the table. */
  writes: number;
}

/** All responses of a service with their metrics and metadata as events, by the poller itself over ports in memory. */
export async function drainInMemory(url: string, concurrency: number): Promise<MemoryDrain> {
  const api = createSurveyApi({
    baseUrl: url,
    credentials: { clientId: "bench", clientSecret: "bench" },
    concurrency,
  });
  const table = createTable(Date.now);
  const { state, writes } = counted(statePort(table, Date.now));
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
      put: async (key, value) => void table.objects.set(key, value),
      get: async (key) => table.objects.get(key),
      delete: async (key) => void table.objects.delete(key),
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
    async seal({ type, detail, time }) {
      const json = JSON.stringify(detail);
      return { type, json, time, bytes: Buffer.byteLength(json) };
    },
    async publish(events, guard) {
      await guard();
      return events.map(({ type }) => {
        if (type === "response.completed" || type === "response.updated") took();
        return { kind: "published" };
      });
    },
  };
}

/** The state as it is, and how many items were written to it. */
function counted(state: State): { state: State; writes: () => number } {
  let items = 0;
  return {
    writes: () => items,
    state: {
      ...state,
      async saveAccount(changes) {
        items += 1;
        return state.saveAccount(changes);
      },
      async saveRows(rows) {
        items += 1;
        return state.saveRows(rows);
      },
      async acquire(...args) {
        items += 1;
        return state.acquire(...args);
      },
      async takeRole(...args) {
        items += 1;
        return state.takeRole(...args);
      },
      async giveBackRole(...args) {
        items += 1;
        return state.giveBackRole(...args);
      },
      async renew(...args) {
        items += 1;
        return state.renew(...args);
      },
      async saveMark(...args) {
        items += 1;
        return state.saveMark(...args);
      },
      async release(...args) {
        items += 1;
        return state.release(...args);
      },
      async putEntries(surveyId, entries) {
        items += entries.length;
        return state.putEntries(surveyId, entries);
      },
    },
  };
}
