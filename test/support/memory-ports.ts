import type { SurveyDefinition } from "../../lib/events/build/definition.ts";
import type { ResponseCompleted } from "../../lib/events/index.ts";
import {
  type AccountState,
  type CheckedState,
  type Clock,
  type DetailRead,
  emittedOf,
  isForRedrive,
  isOutdated,
  JUDGED_BY,
  type Lease,
  type LedgerEntry,
  leaseLost,
  NEW_SURVEY,
  type OutgoingEvent,
  type PageRead,
  type Ports,
  type Progress,
  type Publisher,
  type PublishOutcome,
  type Role,
  type RoleLease,
  type RoleNote,
  STORED_ONCE,
  type State,
  type SurveyService,
  type SurveyState,
  type TickNote,
  type Vault,
} from "../../lib/polling/index.ts";
import { mayReplace } from "./may-replace.ts";
import { type VirtualTime, virtualClock } from "./virtual-clock.ts";

/** One call of a port, in the order in which they were made. */
export interface PortCall {
  port: "service" | "state" | "publisher" | "vault";
  operation: string;
  args: readonly unknown[];
}

export type Hook = (call: PortCall) => void | Promise<void>;

/** A survey of the in-memory service. Tests change it between calls, or from a hook between any two reads. */
export interface MemorySurvey {
  surveyId: number;
  /** Unix seconds. */
  created: number;
  /** Records as asc order lists them; desc is the same from the last to the first. */
  records: unknown[];
  /** Its name and what else the survey list says of it. */
  facts?: object;
  counts: { responses: unknown; correct: unknown; unpaidResponses: unknown };
  /** Bodies of operations 11 and 13, and records of 9, by response id; without an entry all are found, 9 as listed. */
  metrics: Map<number, DetailRead<object>>;
  metadata: Map<number, DetailRead<object>>;
  single: Map<number, DetailRead<unknown[]>>;
  /** Its questions, or why they cannot be had; without it fifty, in whatever edition is asked for. */
  definition?: SurveyDefinition | Error;
}

/** Questions 1 to 50, each with eleven choices that are told by numbers from 0. */
const fiftyQuestions: SurveyDefinition = {
  modified: null,
  indexBase: 0,
  questions: Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => {
      const choices = Array.from({ length: 11 }, (_, k) => `Choice ${k}`);
      return [
        i + 1,
        { number: i + 1, type: "simple", text: `Question ${i + 1}?`, choices, others: [], isMatrix: false },
      ];
    }),
  ),
};

export interface MemoryWorld {
  ports: Ports;
  time: VirtualTime;
  surveys: Map<number, MemorySurvey>;
  calls: PortCall[];
  progress: Progress[];
  /** Called before a port does anything: throwing is a failure without an effect. */
  before: Hook[];
  /** Called once a port has done its work: throwing is an answer that was lost. */
  after: Hook[];
  /** Events as the bus has them, repeats included. */
  delivered: ResponseCompleted[];
  /** The same for those that have no contents of a response. */
  told: OutgoingEvent[];
  /** What the bus makes of an event; published when it gives nothing. */
  bus: { decide: (detail: ResponseCompleted) => PublishOutcome | undefined };
  account: AccountState;
  entry: (surveyId: number, id: LedgerEntry["id"]) => LedgerEntry | undefined;
  entries: (surveyId: number) => LedgerEntry[];
  mark: (surveyId: number) => SurveyState;
  objects: Map<string, unknown>;
}

/**
 * All ports in memory, on a virtual clock: deterministic, and strict where the real ones are.
 *
 * @param serviceOf another service, on the same clock
 */
export function memoryWorld(now: number, serviceOf?: (clock: Clock) => SurveyService): MemoryWorld {
  const { clock, time } = virtualClock(now);
  const world = {
    time,
    surveys: new Map(),
    calls: [],
    progress: [],
    before: [],
    after: [],
    delivered: [],
    told: [],
    bus: { decide: () => undefined },
    objects: new Map(),
  } as Omit<MemoryWorld, "ports" | "account" | "entry" | "entries" | "mark">;
  const { state, ...views } = memoryState(() => time.now);
  const ports: Ports = {
    clock,
    service: watched("service", serviceOf?.(clock) ?? memoryService(world.surveys), world),
    state: watched("state", state, world),
    publisher: watched("publisher", memoryPublisher(world), world),
    vault: watched("vault", memoryVault(world.objects), world),
    observe: (progress) => world.progress.push(progress),
  };
  return { ...world, ports, ...views };
}

function watched<T extends object>(
  port: PortCall["port"],
  target: T,
  world: Pick<MemoryWorld, "calls" | "before" | "after">,
): T {
  return new Proxy(target, {
    get(object, key) {
      const method: unknown = Reflect.get(object, key);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const call: PortCall = { port, operation: String(key), args };
        world.calls.push(call);
        for (const hook of [...world.before]) await hook(call);
        const result: unknown = await method.apply(object, args);
        for (const hook of [...world.after]) await hook(call);
        return result;
      };
    },
  });
}

const PAGE = 100;

function memoryService(surveys: Map<number, MemorySurvey>): SurveyService {
  const survey = (surveyId: number): MemorySurvey => {
    const found = surveys.get(surveyId);
    if (found === undefined) throw new TypeError(`the test has no survey ${surveyId}`);
    return found;
  };
  const found = (body: object): DetailRead<object> => ({ kind: "found", body });
  return {
    surveys: async () =>
      [...surveys.values()].map(({ surveyId, created, counts, facts }) => ({ surveyId, created, ...counts, ...facts })),
    async page(surveyId, page, order): Promise<PageRead> {
      const listed = survey(surveyId).records;
      const ordered = order === "asc" ? listed : [...listed].reverse();
      return { kind: "page", records: structuredClone(ordered.slice((page - 1) * PAGE, page * PAGE)) };
    },
    async response(surveyId, id) {
      const { single, records } = survey(surveyId);
      const given = single.get(id);
      if (given !== undefined) return given;
      const own = records.filter((record) => (record as { responseId: unknown } | null)?.responseId === id);
      return own.length === 0 ? { kind: "absent" } : { kind: "found", body: structuredClone(own) };
    },
    metrics: async (surveyId, id) =>
      survey(surveyId).metrics.get(id) ?? found({ "31": { metricId: 31, surveyId, score: { pointsSum: 9 } } }),
    metadata: async (surveyId, id) =>
      survey(surveyId).metadata.get(id) ?? found({ responseId: id, ip: "203.0.113.77", deviceType: "desktop" }),
    definition: async (surveyId, modified) => {
      const { definition } = survey(surveyId);
      if (definition instanceof Error) throw definition;
      return definition ?? { ...fiftyQuestions, modified };
    },
  };
}

interface Held {
  fence: number;
  owner?: string;
  until: number;
}

interface HeldMark extends Held {
  mark: SurveyState;
}

interface HeldRole extends Held {
  note: RoleNote;
}

type StateViews = Pick<MemoryWorld, "account" | "entry" | "entries" | "mark">;

function memoryState(now: () => number): StateViews & { state: State } {
  const account: AccountState = { rows: new Map() };
  const marks = new Map<number, HeldMark>();
  const roles = new Map<Role, HeldRole>();
  const ledger = new Map<number, Map<LedgerEntry["id"], LedgerEntry>>();
  const held = (surveyId: number): Map<LedgerEntry["id"], LedgerEntry> => {
    const entries = ledger.get(surveyId) ?? new Map<LedgerEntry["id"], LedgerEntry>();
    ledger.set(surveyId, entries);
    return entries;
  };
  const holds = <T extends Held>(item: T | undefined, lease: Lease | RoleLease): T => {
    if (item?.owner === lease.owner && item.fence === lease.fence) return item;
    throw leaseLost(lease);
  };
  const fenced = (lease: Lease): HeldMark => holds(marks.get(lease.surveyId), lease);
  const inRole = (lease: RoleLease): HeldRole => holds(roles.get(lease.role), lease);
  const isTaken = (item: Held | undefined, owner: string): boolean =>
    item?.owner !== undefined && item.until >= now() && !item.owner.startsWith(`${owner}/`);
  const tickNote = (): TickNote => roles.get("tick")?.note ?? {};
  const checked = (surveyId: number, kind: CheckedState): LedgerEntry[] =>
    [...held(surveyId).values()]
      .filter(({ nextCheck, state }) => nextCheck !== undefined && state === kind)
      .sort((a, b) => (a.nextCheck ?? 0) - (b.nextCheck ?? 0));

  // Everything is copied on its way in and out: what is not written is lost, as with a real table.
  const state: State = {
    account: async () => ({ ...structuredClone(account), ...tickNote() }),
    async saveAccount(changes) {
      const saved = structuredClone(changes) as Partial<AccountState>;
      for (const name of STORED_ONCE) if (account[name] !== undefined) delete saved[name];
      Object.assign(account, saved);
    },
    async saveRows(rows) {
      for (const [surveyId, row] of rows) {
        if (!isOutdated(row, account.rows.get(surveyId))) account.rows.set(surveyId, structuredClone(row));
      }
    },
    async acquire(surveyId, owner, duration) {
      const last = marks.get(surveyId);
      if (isTaken(last, owner)) return undefined;
      const fence = (last?.fence ?? 0) + 1;
      const me = `${owner}/${fence}`;
      const until = now() + duration;
      const mark = last?.mark ?? NEW_SURVEY;
      marks.set(surveyId, { fence, owner: me, until, mark });
      return { surveyId, owner: me, fence, until, state: structuredClone(mark) };
    },
    async takeRole(role, owner, duration) {
      const last = roles.get(role);
      if (isTaken(last, owner)) return undefined;
      const fence = (last?.fence ?? 0) + 1;
      const held = { fence, owner: `${owner}/${fence}`, until: now() + duration, note: last?.note ?? {} };
      roles.set(role, held);
      const lease = structuredClone(held);
      return { role, ...lease };
    },
    async giveBackRole(lease) {
      const item = inRole(lease);
      item.note = structuredClone(lease.note);
      delete item.owner;
    },
    async renew(lease, duration) {
      const item = "role" in lease ? inRole(lease) : fenced(lease);
      item.until = now() + duration;
      lease.until = now() + duration;
    },
    async saveState(lease, mark) {
      fenced(lease).mark = structuredClone(mark);
    },
    async release(lease, mark) {
      const item = fenced(lease);
      item.mark = structuredClone(mark);
      delete item.owner;
    },
    async entries(surveyId, ids) {
      // The limits of BatchGetItem.
      if (ids.length > PAGE || new Set(ids).size < ids.length) throw new TypeError("not a batch the table would read");
      const found = ids.map((id) => held(surveyId).get(id)).filter((entry) => entry !== undefined);
      return new Map(found.map((entry) => [entry.id, structuredClone(judgedOf(entry))]));
    },
    async putEntries(surveyId, entries) {
      // BatchWriteItem refuses a batch that names one item twice.
      if (new Set(entries.map(({ id }) => id)).size < entries.length) throw new TypeError("one item twice in a batch");
      for (const entry of entries) {
        if (!mayReplace(held(surveyId).get(entry.id), entry)) continue;
        held(surveyId).set(entry.id, structuredClone(entry));
      }
    },
    due: async (surveyId, kind, until, limit) =>
      structuredClone(
        checked(surveyId, kind)
          .filter(({ nextCheck = 0 }) => nextCheck <= until)
          .slice(0, limit),
      ),
    nextDue: async (surveyId, kind) => checked(surveyId, kind)[0]?.nextCheck,
    async forRedrive(surveyId, from = "0") {
      const all = [...held(surveyId).values()];
      const page = all.slice(Number(from), Number(from) + PAGE);
      const next = Number(from) + PAGE < all.length ? { next: String(Number(from) + PAGE) } : {};
      return { entries: structuredClone(page.filter(isForRedrive)), ...next };
    },
    async emitted(surveyId, from = "0") {
      const all = [...held(surveyId).values()];
      const page = all.slice(Number(from), Number(from) + PAGE).filter(({ state }) => state === "emitted");
      const next = Number(from) + PAGE < all.length ? { next: String(Number(from) + PAGE) } : {};
      return {
        entries: page.map(emittedOf),
        ...next,
      };
    },
  };
  return {
    state,
    account,
    entry: (surveyId, id) => held(surveyId).get(id),
    entries: (surveyId) => [...held(surveyId).values()],
    mark: (surveyId) => marks.get(surveyId)?.mark ?? NEW_SURVEY,
  };
}

/** What a batch read gives of an entry. */
function judgedOf(entry: LedgerEntry): LedgerEntry {
  const names: readonly string[] = JUDGED_BY;
  const { id, state, ...fields } = entry;
  return { id, state, ...Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))) };
}

function memoryPublisher(world: Pick<MemoryWorld, "bus" | "delivered" | "told">): Publisher {
  return {
    async seal({ type, detail, time }) {
      const json = JSON.stringify(detail);
      return { type, json, time, bytes: Buffer.byteLength(json) };
    },
    async publish(events, guard) {
      await guard();
      return events.map(({ type, json, time }): PublishOutcome => {
        const event = { type, detail: JSON.parse(json), time } as OutgoingEvent;
        if (event.type !== "response.completed" && event.type !== "response.updated") {
          world.told.push(event);
          return { kind: "published" };
        }
        const { detail } = event;
        const outcome = world.bus.decide(detail) ?? { kind: "published" };
        if (outcome.kind === "published") world.delivered.push(detail);
        return outcome;
      });
    },
  };
}

function memoryVault(objects: Map<string, unknown>): Vault {
  return {
    put: async (key, value) => void objects.set(key, structuredClone(value)),
    get: async (key) => structuredClone(objects.get(key)),
    delete: async (key) => void objects.delete(key),
  };
}
