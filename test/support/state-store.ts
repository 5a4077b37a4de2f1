import { PollerError } from "../../lib/errors.ts";
import {
  type AccountState,
  type CheckedState,
  type EmittedResponse,
  type EntryState,
  emittedOf,
  FORGOTTEN,
  isForRedrive,
  JUDGED_BY,
  type Lease,
  type LedgerEntry,
  type LedgerPage,
  leaseLost,
  NEW_SURVEY,
  type Role,
  type RoleLease,
  type RoleNote,
  STORED_ONCE,
  type State,
  type SurveyRow,
  type SurveyState,
  WITHOUT_RECORDS,
} from "../../lib/polling/index.ts";
import { copyOf } from "./copy.ts";

type Id = LedgerEntry["id"];

/** A port was called in a way that the real one would refuse each time: a fault of the poller, not of the day. */
export class MisuseError extends PollerError {
  readonly code = "MISUSE";
}

/** An item with a lease in it. */
interface LeaseItem {
  fence: number;
  owner: string | undefined;
  until: number;
}

/** The item that holds a survey's mark and lease. */
interface MarkItem extends LeaseItem {
  mark: SurveyState;
}

/** The item that holds the lease of a role of the source. */
interface RoleItem extends LeaseItem {
  note: RoleNote;
}

/** The index shows what was written only after a while. */
interface Lag {
  /** Epoch milliseconds; what was written after it is not in the index yet. */
  shownUntil(): number;
  /** Called when it has not, and that can be seen. */
  showsOld(): void;
}

/** Items that one read of a ledger goes through. */
const LEDGER_PAGE = 40;

interface Written {
  entry: LedgerEntry;
  at: number;
  /** What the index shows until it has caught up. */
  before: LedgerEntry | undefined;
}

export type Store = ReturnType<typeof createStore>;

/** The table: what is in it at this very moment. Every method is one atomic effect. It keeps what it is given, and gives copies. */
export function createStore(now: () => number, lag: Lag) {
  const account: AccountState = { rows: new Map() };
  const marks = new Map<number, MarkItem>();
  const roles = new Map<Role, RoleItem>();
  const ledger = new Map<number, Map<Id, Written>>();
  const survey = (surveyId: number): Map<Id, Written> => {
    const entries = ledger.get(surveyId) ?? new Map<Id, Written>();
    ledger.set(surveyId, entries);
    return entries;
  };
  const holds = <T extends LeaseItem>(item: T | undefined, lease: Lease | RoleLease): T => {
    if (item?.owner === lease.owner && item.fence === lease.fence) return item;
    throw leaseLost(lease);
  };
  const fenced = (lease: Lease): MarkItem => holds(marks.get(lease.surveyId), lease);
  /** What is taken under the same name before is the SDK's own retry of a taking that did apply. */
  const isTaken = (item: LeaseItem | undefined, same: string, at: number): boolean =>
    item?.owner !== undefined && item.until >= at && !item.owner.startsWith(`${same}/`);
  const write = (item: MarkItem, mark: SurveyState): SurveyState => {
    const before = item.mark;
    item.mark = mark;
    return before;
  };
  /** What the index shows of a survey. */
  const indexed = (surveyId: number, kind: CheckedState): LedgerEntry[] => {
    const shownUntil = lag.shownUntil();
    const found: LedgerEntry[] = [];
    for (const { entry, at, before } of survey(surveyId).values()) {
      const shown = at > shownUntil ? before : entry;
      if (shown?.nextCheck === undefined || indexState(shown.state) !== kind) continue;
      if (shown !== entry) lag.showsOld();
      found.push(shown);
    }
    return found;
  };

  const pageOf = (surveyId: number, from = "0"): LedgerPage<LedgerEntry> => {
    const all = survey(surveyId);
    const to = Number(from) + LEDGER_PAGE;
    const entries = [...all.values().drop(Number(from)).take(LEDGER_PAGE)].map(({ entry }) => entry);
    return { entries, ...(to < all.size ? { next: String(to) } : {}) };
  };

  return {
    account,
    marks,
    roles,
    objects: new Map<string, unknown>(),
    saveAccount(changes: Partial<AccountState>): void {
      const changed = { ...changes };
      for (const name of STORED_ONCE) if (account[name] !== undefined) delete changed[name];
      Object.assign(account, changed);
    },
    saveRows(rows: Iterable<[number, SurveyRow]>): void {
      for (const [id, row] of rows) account.rows.set(id, row);
    },
    takeRole(role: Role, me: string, same: string, calledAt: number, until: number): RoleLease | undefined {
      const item = roles.get(role);
      if (isTaken(item, same, calledAt)) return undefined;
      const held = { fence: (item?.fence ?? 0) + 1, owner: me, until, note: item?.note ?? {} };
      roles.set(role, held);
      const lease = copyOf(held);
      return { role, ...lease };
    },
    giveBackRole(lease: RoleLease): void {
      const given = roles.get(lease.role);
      // The SDK's own retry of one that did apply.
      if (given?.owner === undefined && given?.fence === lease.fence) return;
      const item = holds(given, lease);
      item.owner = undefined;
      item.note = copyOf(lease.note);
    },
    acquire(surveyId: number, me: string, same: string, calledAt: number, until: number): Lease | undefined {
      const item = marks.get(surveyId);
      if (isTaken(item, same, calledAt)) return undefined;
      const fence = (item?.fence ?? 0) + 1;
      const mark = item?.mark ?? NEW_SURVEY;
      marks.set(surveyId, { fence, owner: me, until, mark });
      return { surveyId, owner: me, fence, until, state: copyOf(mark) };
    },
    renew(lease: Lease | RoleLease, until: number): void {
      const item = "role" in lease ? holds(roles.get(lease.role), lease) : fenced(lease);
      item.until = until;
    },
    saveState: (lease: Lease, mark: SurveyState): SurveyState => write(fenced(lease), mark),
    release(lease: Lease, mark: SurveyState): SurveyState {
      const given = marks.get(lease.surveyId);
      // The SDK's own retry of a release that did apply.
      if (given?.owner === undefined && given?.fence === lease.fence) return given.mark;
      const item = fenced(lease);
      item.owner = undefined;
      return write(item, mark);
    },
    read(surveyId: number, ids: Id[]): Map<Id, LedgerEntry> {
      if (ids.length > 100 || new Set(ids).size < ids.length) throw new MisuseError("not a batch the table would read");
      const entries = survey(surveyId);
      const found = new Map<Id, LedgerEntry>();
      for (const id of ids) {
        const entry = entries.get(id)?.entry;
        if (entry !== undefined) found.set(id, projected(entry));
      }
      return found;
    },
    /** Gives what was there before; undefined where the entry does not take its place. */
    write(surveyId: number, entry: LedgerEntry): { before: LedgerEntry | undefined } | undefined {
      const entries = survey(surveyId);
      const before = entries.get(entry.id)?.entry;
      if (!mayReplace(before, entry)) return undefined;
      entries.set(entry.id, { entry, at: now(), before });
      return { before };
    },
    has: (surveyId: number, id: Id): boolean => survey(surveyId).has(id),
    entries: (surveyId: number): Map<Id, LedgerEntry> =>
      new Map([...survey(surveyId)].map(([id, { entry }]) => [id, entry])),
    /** Some of the quarantined entries, by place in the table. */
    forRedrive(surveyId: number, from: string | undefined): LedgerPage<LedgerEntry> {
      const { entries, ...next } = pageOf(surveyId, from);
      return { entries: copyOf(entries.filter(isForRedrive)), ...next };
    },
    /** Event ids of some of the emitted ones, in the same way. */
    emitted(surveyId: number, from: string | undefined): LedgerPage<EmittedResponse> {
      const { entries, ...next } = pageOf(surveyId, from);
      return { entries: entries.filter(({ state }) => state === "emitted").map(emittedOf), ...next };
    },
    due: (surveyId: number, kind: CheckedState, until: number, limit: number): LedgerEntry[] =>
      copyOf(
        indexed(surveyId, kind)
          .filter(({ nextCheck = 0 }) => nextCheck <= until)
          .sort((a, b) => (a.nextCheck ?? 0) - (b.nextCheck ?? 0))
          .slice(0, limit),
      ),
    nextDue(surveyId: number, kind: CheckedState): number | undefined {
      const all = indexed(surveyId, kind).map(({ nextCheck = 0 }) => nextCheck);
      return all.length === 0 ? undefined : all.reduce((one, other) => Math.min(one, other));
    },
  };
}

/** As `dueKey` has it. */
const indexState = (state: EntryState): CheckedState =>
  state === "emitted" || state === "before-start" ? "waiting" : state;

/** What a batch read gives of an entry. */
const SHORT = ["id", "nextCheck", ...JUDGED_BY] as const;

function projected(entry: LedgerEntry): LedgerEntry {
  const result: Record<string, unknown> = {};
  for (const name of SHORT) if (entry[name] !== undefined) result[name] = copyOf(entry[name]);
  return result as unknown as LedgerEntry;
}

/** Whether the ledger takes an entry in the place of one that it has: see `ledger-writes.ts`, which asks the table the same. */
export function mayReplace(known: LedgerEntry | undefined, entry: LedgerEntry): boolean {
  if (known === undefined) return true;
  const { state, revision = 1, attempts, next, reason, refusedRevision, gone } = entry;
  const isOfRepair = [attempts, next, refusedRevision, gone].some((one) => one !== undefined) || revision > 1;
  if (known.reason === FORGOTTEN && reason !== FORGOTTEN && (state !== "emitted" || isOfRepair)) return false;
  if (state === "emitted") {
    return !isOfRepair || known.state !== "emitted" || (known.revision ?? 1) <= revision;
  }
  if (known.state === "emitted") return false;
  if (state === "held") return known.state !== "waiting" && known.state !== "refused";
  if (state !== "open") return true;
  if (known.state === "waiting" || known.state === "refused") return reason === WITHOUT_RECORDS;
  return known.state !== "held";
}

/** How calls reach the table. */
export interface Way {
  now(): number;
  /** Lets a call have its effect; `told` says what it is about. */
  call<T>(operation: string, told: unknown[], effect: () => T): Promise<T>;
  /** Tells one taking of a lease under the same name from another one. */
  taking(): number;
  /** Items of the next batch that is written. */
  batchSize(): number;
}

/** The table as the poller's port. */
export function stateOver(store: Store, { now, call, taking, batchSize }: Way): State {
  /** The last write of each lease: they reach the table one after the other. */
  const lastWrites = new WeakMap<Lease, Promise<unknown>>();

  const writeState = async (operation: "saveState" | "release", lease: Lease, state: SurveyState): Promise<void> => {
    const saved = copyOf(state);
    const begin = () => call(operation, [lease.surveyId, saved], () => void store[operation](lease, saved));
    const write = lastWrites.get(lease)?.then(begin) ?? begin();
    lastWrites.set(
      lease,
      write.catch(() => undefined),
    );
    await write;
  };

  const writeAll = async (surveyId: number, entries: LedgerEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    const batches: LedgerEntry[][] = [];
    for (let from = 0; from < entries.length; from += batches.at(-1)?.length ?? 0)
      batches.push(entries.slice(from, from + batchSize()));
    const write = (batch: LedgerEntry[]) =>
      call("putEntries", [surveyId, batch], () => {
        for (const entry of batch) store.write(surveyId, entry);
      });
    await Promise.all(batches.map(write));
  };

  return {
    account: () =>
      call("account", [], () => {
        const { rows, pausedUntil = 0, ...rest } = store.account;
        // A pause that is over is not told. Rows are replaced, never changed: ten thousand need no copies.
        const pause = pausedUntil > now() ? { pausedUntil } : {};
        return { ...copyOf(rest), ...pause, ...copyOf(store.roles.get("tick")?.note), rows: new Map(rows) };
      }),
    saveAccount: (changes) => {
      const saved = copyOf(changes);
      return call("saveAccount", [saved], () => store.saveAccount(saved));
    },
    saveRows: (rows) => {
      const saved = Array.from(rows, ([id, row]): [number, SurveyRow] => [id, copyOf(row)]);
      return call("saveRows", saved, () => store.saveRows(saved));
    },
    acquire: (surveyId, owner, duration) => {
      const [at, me] = [now(), `${owner}/${taking()}`];
      return call("acquire", [surveyId], () => store.acquire(surveyId, me, owner, at, at + duration));
    },
    takeRole: (role, owner, duration) => {
      const [at, me] = [now(), `${owner}/${taking()}`];
      return call("takeRole", [role], () => store.takeRole(role, me, owner, at, at + duration));
    },
    giveBackRole: (lease) => call("giveBackRole", [lease.role], () => store.giveBackRole(lease)),
    async renew(lease, duration) {
      const until = now() + duration;
      await call("renew", ["role" in lease ? lease.role : lease.surveyId], () => store.renew(lease, until));
      lease.until = until;
    },
    saveState: (lease, state) => writeState("saveState", lease, state),
    release: (lease, state) => writeState("release", lease, state),
    entries: (surveyId, ids) => call("entries", [surveyId, ids], () => store.read(surveyId, ids)),
    async putEntries(surveyId, entries) {
      // BatchWriteItem refuses a batch that names one item twice.
      if (new Set(entries.map(({ id }) => id)).size < entries.length)
        throw new MisuseError("one item twice in a batch");
      const { emitted = [], others = [] } = Object.groupBy(entries.map(copyOf), ({ state }) =>
        state === "emitted" ? state : "others",
      );
      await writeAll(surveyId, emitted);
      await writeAll(surveyId, others);
    },
    due: (surveyId, kind, until, limit) => call("due", [surveyId, kind], () => store.due(surveyId, kind, until, limit)),
    nextDue: (surveyId, kind) => call("nextDue", [surveyId, kind], () => store.nextDue(surveyId, kind)),
    emitted: (surveyId, from) => call("emitted", [surveyId], () => store.emitted(surveyId, from)),
    forRedrive: (surveyId, from) => call("forRedrive", [surveyId], () => store.forRedrive(surveyId, from)),
  };
}

/** The table in one process where nothing fails. */
export function memoryState(now: () => number): { state: State; store: Store } {
  const store = createStore(now, { shownUntil: () => Number.POSITIVE_INFINITY, showsOld() {} });
  const call = async <T>(_operation: string, _told: unknown[], effect: () => T): Promise<T> => effect();
  return { store, state: stateOver(store, { now, call, taking: () => 1, batchSize: () => Number.POSITIVE_INFINITY }) };
}
