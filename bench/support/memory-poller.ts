import { type Ports, type Publisher, type State, tick } from "../../lib/polling/index.ts";
import { CATCH_UP, toSurveyService } from "../../lib/service/survey-service.ts";
import { createSurveyApi } from "../../lib/survey-api/index.ts";
import { copyOf } from "../../test/simulation/ports/copy.ts";
import { createStore, type Store } from "../../test/simulation/ports/store.ts";
import { defaultSource } from "./default-source.ts";
import { type Drained, measured } from "./measure.ts";

const lag = { shownUntil: () => Number.POSITIVE_INFINITY, showsOld() {} };

/** A table that shows at once what is written. */
function createTable(now: () => number): Store {
  return createStore(now, lag);
}

function statePort(table: Store, now: () => number): State {
  return {
    // Rows are replaced, never changed: ten thousand need no copies.
    account: async () => ({
      ...copyOf({ ...table.account, rows: undefined }),
      ...table.roles.get("tick")?.note,
      rows: new Map(table.account.rows),
    }),
    saveAccount: async (changes) => void Object.assign(table.account, copyOf(changes)),
    async saveRows(rows) {
      for (const [id, row] of rows) table.account.rows.set(id, copyOf(row));
    },
    acquire: async (surveyId, owner, duration) => {
      const at = now();
      return table.acquire(surveyId, `${owner}/1`, owner, at, at + duration);
    },
    takeRole: async (role, owner, duration) => {
      const at = now();
      return table.takeRole(role, `${owner}/1`, owner, at, at + duration);
    },
    giveBackRole: async (lease) => table.giveBackRole(lease),
    async renew(lease, duration) {
      const until = now() + duration;
      table.renew(lease, until);
      lease.until = until;
    },
    saveState: async (lease, mark) => void table.saveState(lease, copyOf(mark)),
    release: async (lease, mark) => void table.release(lease, copyOf(mark)),
    entries: async (surveyId, ids) => table.read(surveyId, ids),
    async putEntries(surveyId, entries) {
      for (const entry of entries) table.write(surveyId, copyOf(entry));
    },
    due: async (surveyId, kind, until, limit) => table.due(surveyId, kind, until, limit),
    nextDue: async (surveyId, kind) => table.nextDue(surveyId, kind),
    emitted: async (surveyId, from) => table.emitted(surveyId, from),
    forRedrive: async (surveyId, from) => table.forRedrive(surveyId, from),
  };
}

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

/** What only reads; everything else of the state writes. */
const READS: ReadonlySet<PropertyKey> = new Set<keyof State>([
  ...(["account", "entries", "due", "nextDue", "emitted", "forRedrive"] as const),
]);

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
