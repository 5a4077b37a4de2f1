import type { LedgerEntry, State } from "../../../lib/polling/index.ts";
import { type Store, stateOver } from "../../support/state-store.ts";
import type { Random } from "../engine/random.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { World } from "../world.ts";

/** Items of one batch write. */
const BATCH = 25;

/** The table as one process of the poller meets it. A batch may be written in two parts, of which one fails. */
export function statePort(
  world: World,
  store: Store,
  process: WorkerProcess,
  random: Random,
  watch: Oracle["state"],
): State {
  return stateOver(watched(world, store, process, watch), {
    now: world.scheduler.now,
    call: (operation, told, effect) =>
      process.call("state", () => {
        world.trace?.(() => `${process.name} ${operation} ${told.map(textOf).join(" ")}`);
        return effect();
      }),
    taking: () => random.below(2 ** 30),
    batchSize: () => (random.chance(0.2) ? random.between(1, BATCH) : BATCH),
  });
}

/** Without the records that are kept of a response. */
function textOf(told: unknown): string {
  return typeof told === "string" ? told : JSON.stringify(told, (key, value) => (key === "kept" ? "…" : value));
}

/** The table, with what is noted at the moment of each effect. */
function watched(world: World, store: Store, process: WorkerProcess, watch: Oracle["state"]): Store {
  const noteReadOpen = (id: LedgerEntry["id"]): void => {
    const response = world.responses.get(Number(id));
    if (response?.shownOpen === true) response.readOpenAt ??= world.scheduler.now();
  };
  const write =
    (operation: "saveState" | "release"): Store["saveState"] =>
    (lease, state) => {
      const isLate = store.marks.get(lease.surveyId)?.fence !== lease.fence;
      if (isLate && process.stoodStill()) world.sometimes("a mark comes too late, from a process that stood still");
      const before = store[operation](lease, state);
      watch.markWritten(process, lease.surveyId, before, state, operation === "release");
      return before;
    };
  return {
    ...store,
    saveAccount(changes) {
      watch.accountSaved(changes);
      store.saveAccount(changes);
    },
    acquire(surveyId, me, same, now, until) {
      const other = store.marks.get(surveyId)?.owner;
      const isTaken = other !== undefined && !other.startsWith(`${same}/`);
      const lease = store.acquire(surveyId, me, same, now, until);
      if (lease !== undefined) watch.leaseTaken(process, surveyId, lease.fence);
      if (lease === undefined) world.sometimes("a survey is in another's hands");
      else if (isTaken) world.sometimes("a lease is taken that nobody gave back");
      return lease;
    },
    takeRole(role, ...taking) {
      const lease = store.takeRole(role, ...taking);
      if (lease === undefined) world.sometimes(`an invocation leaves the ${role} to another one`);
      return lease;
    },
    saveState: write("saveState"),
    release: write("release"),
    read(surveyId, ids) {
      // One at the end of what was read is asked about, and noted only once what follows it was read too.
      for (const id of ids) if (store.has(surveyId, id)) noteReadOpen(id);
      return store.read(surveyId, ids);
    },
    write(surveyId, entry) {
      // Not asked for, where the ledger cannot hold it.
      noteReadOpen(entry.id);
      const written = store.write(surveyId, entry);
      if (written !== undefined) watch.entryWritten(surveyId, entry, written.before);
      return written;
    },
  };
}
