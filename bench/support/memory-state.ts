import type { State } from "../../lib/polling/index.ts";
import { copyOf } from "../../test/simulation/ports/copy.ts";
import { createStore, type Store } from "../../test/simulation/ports/store.ts";

const lag = { shownUntil: () => Number.POSITIVE_INFINITY, showsOld() {} };

/** A table that shows at once what is written. */
export function createTable(now: () => number): Store {
  return createStore(now, lag);
}

export function statePort(table: Store, now: () => number): State {
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
    saveMark: async (lease, mark) => void table.saveMark(lease, copyOf(mark)),
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
