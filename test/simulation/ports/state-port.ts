import type { AccountState, Lease, LedgerEntry, State, SurveyRow, SurveyState } from "../../../lib/polling/index.ts";
import { copyOf } from "../../support/copy.ts";
import { MisuseError, type Store } from "../../support/state-store.ts";
import type { Random } from "../engine/random.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { World } from "../world.ts";

export interface StateWatch {
  /** Called at the moment of each effect. */
  accountSaved(process: WorkerProcess, changes: Partial<AccountState>): void;
  leaseTaken(process: WorkerProcess, surveyId: number, fence: number): void;
  markWritten(
    process: WorkerProcess,
    surveyId: number,
    before: SurveyState,
    after: SurveyState,
    released: boolean,
  ): void;
  entryWritten(process: WorkerProcess, surveyId: number, entry: LedgerEntry, before: LedgerEntry | undefined): void;
}

/** Items of one batch write. */
const BATCH = 25;

/** The table as one process of the poller meets it. */
export function statePort(
  world: World,
  store: Store,
  process: WorkerProcess,
  random: Random,
  owner: string,
  watch: StateWatch,
): State {
  const { clock } = process;
  const { trace } = world;
  const call = <T>(operation: string, told: () => string, effect: () => T): Promise<T> =>
    process.call("state", operation, () => {
      trace?.(() => `${process.name} ${operation} ${told()}`);
      return effect();
    });

  const noteReadOpen = (id: LedgerEntry["id"]): void => {
    const response = world.responses.get(Number(id));
    if (response?.shownOpen === true) response.readOpenAt ??= world.scheduler.now();
  };

  const writeBatch = (surveyId: number, entries: LedgerEntry[]): Promise<void> =>
    call(
      "putEntries",
      () => `${surveyId}: ${entries.map(({ id, state }) => `${id} ${state}`).join(", ")}`,
      () => {
        for (const entry of entries) {
          // Not asked for, where the ledger cannot hold it.
          noteReadOpen(entry.id);
          const written = store.write(surveyId, entry);
          if (written !== undefined) watch.entryWritten(process, surveyId, entry, written.before);
        }
      },
    );

  /** A batch may be written in two parts, of which one fails. */
  const writeAll = async (surveyId: number, entries: LedgerEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    const parts: LedgerEntry[][] = [];
    for (let from = 0; from < entries.length; ) {
      const size = random.chance(0.2) ? random.between(1, BATCH) : BATCH;
      parts.push(entries.slice(from, from + size));
      from += size;
    }
    await Promise.all(parts.map((part) => writeBatch(surveyId, part)));
  };

  /** The writes of a lease reach the table one after the other, as the port promises. */
  const lastWrites = new WeakMap<Lease, Promise<unknown>>();

  const markCall = async (operation: "saveState" | "release", lease: Lease, mark: SurveyState): Promise<void> => {
    const saved = copyOf(mark);
    const before = lastWrites.get(lease);
    const write =
      before === undefined ? writeMark(operation, lease, saved) : before.then(() => writeMark(operation, lease, saved));
    lastWrites.set(
      lease,
      write.catch(() => undefined),
    );
    await write;
  };

  const writeMark = (operation: "saveState" | "release", lease: Lease, saved: SurveyState): Promise<void> =>
    call(
      operation,
      () => `${lease.surveyId}: ${JSON.stringify(saved)}`,
      () => {
        const isLate = store.marks.get(lease.surveyId)?.fence !== lease.fence;
        if (isLate && process.stoodStill()) world.sometimes("a mark comes too late, from a process that stood still");
        watch.markWritten(process, lease.surveyId, store[operation](lease, saved), saved, operation === "release");
      },
    );

  return {
    account: () =>
      call(
        "account",
        () => "",
        () => ({ ...copyAccount(store.account, clock.now()), ...store.roles.get("tick")?.note }),
      ),
    saveAccount: (changes) => {
      const saved: Partial<AccountState> = copyOf(changes);
      return call(
        "saveAccount",
        () => JSON.stringify(saved),
        () => {
          watch.accountSaved(process, saved);
          store.saveAccount(saved);
        },
      );
    },
    saveRows: (rows) => {
      const saved = [...rows].map(([id, row]): [number, SurveyRow] => [id, copyOf(row)]);
      return call(
        "saveRows",
        () => JSON.stringify(saved),
        () => store.saveRows(saved),
      );
    },
    acquire: (surveyId, _owner, duration) => {
      const now = clock.now();
      const me = `${owner}/${random.below(2 ** 30)}`;
      return call(
        "acquire",
        () => `${surveyId}`,
        () => {
          const other = store.marks.get(surveyId)?.owner;
          const isTaken = other !== undefined && !other.startsWith(`${owner}/`);
          const lease = store.acquire(surveyId, me, owner, now, now + duration);
          if (lease !== undefined) watch.leaseTaken(process, surveyId, lease.fence);
          if (lease === undefined) world.sometimes("a survey is in another's hands");
          else if (isTaken) world.sometimes("a lease is taken that nobody gave back");
          return lease;
        },
      );
    },
    takeRole: (role, _owner, duration) => {
      const now = clock.now();
      const me = `${owner}/${random.below(2 ** 30)}`;
      return call(
        "takeRole",
        () => role,
        () => {
          const lease = store.takeRole(role, me, owner, now, now + duration);
          if (lease === undefined) world.sometimes(`an invocation leaves the ${role} to another one`);
          return lease;
        },
      );
    },
    giveBackRole: (lease) =>
      call(
        "giveBackRole",
        () => lease.role,
        () => store.giveBackRole(lease),
      ),
    async renew(lease, duration) {
      const until = clock.now() + duration;
      await call(
        "renew",
        () => ("role" in lease ? lease.role : `${lease.surveyId}`),
        () => store.renew(lease, until),
      );
      lease.until = until;
    },
    saveState: (lease, mark) => markCall("saveState", lease, mark),
    release: (lease, mark) => markCall("release", lease, mark),
    entries: (surveyId, ids) =>
      call(
        "entries",
        () => `${surveyId}: ${ids.join(", ")}`,
        () => {
          // One at the end of what was read is asked about, and noted only once what follows it was read too.
          for (const id of ids) if (store.has(surveyId, id)) noteReadOpen(id);
          return store.read(surveyId, ids);
        },
      ),
    async putEntries(surveyId, entries) {
      // A batch write refuses to name one item twice.
      if (new Set(entries.map(({ id }) => id)).size < entries.length)
        throw new MisuseError("one item twice in a batch");
      const copies = entries.map(copyOf);
      await writeAll(
        surveyId,
        copies.filter(({ state }) => state === "emitted"),
      );
      await writeAll(
        surveyId,
        copies.filter(({ state }) => state !== "emitted"),
      );
    },
    forRedrive: (surveyId, from) =>
      call(
        "forRedrive",
        () => `${surveyId}`,
        () => store.forRedrive(surveyId, from),
      ),
    emitted: (surveyId, from) =>
      call(
        "emitted",
        () => `${surveyId}`,
        () => store.emitted(surveyId, from),
      ),
    due: (surveyId, kind, until, limit) =>
      call(
        "due",
        () => `${surveyId} ${kind}`,
        () => store.due(surveyId, kind, until, limit),
      ),
    nextDue: (surveyId, kind) =>
      call(
        "nextDue",
        () => `${surveyId} ${kind}`,
        () => store.nextDue(surveyId, kind),
      ),
  };
}

/** A pause that is over is not told. */
function copyAccount({ rows, pausedUntil, ...rest }: AccountState, now: number): AccountState {
  const pause = pausedUntil !== undefined && pausedUntil > now ? { pausedUntil } : {};
  return { ...copyOf(rest), ...pause, rows: new Map([...rows].map(([id, row]) => [id, copyOf(row)])) };
}
