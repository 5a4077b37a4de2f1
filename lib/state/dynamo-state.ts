import type { State } from "../polling/index.ts";
import { readAccount, writeAccount } from "./account.ts";
import { dueKey, surveyKey } from "./keys.ts";
import { createLeases } from "./leases.ts";
import { dueEntries, emittedResponses, readEntries, redriveEntries } from "./ledger.ts";
import { writeEntries } from "./ledger-writes.ts";
import { writeRows } from "./rows.ts";
import type { Table } from "./table-client.ts";

/** The state port of one source over the table. */
export function createDynamoState(table: Table, source: string, now: () => number = Date.now): State {
  return {
    account: () => readAccount(table, source, now),
    saveAccount: (changes) => writeAccount(table, source, changes),
    saveRows: (rows) => writeRows(table, source, rows),
    ...createLeases(table, source, now),
    entries: (surveyId, ids) => readEntries(table, source, surveyId, ids),
    putEntries: (surveyId, entries) => writeEntries(table, source, surveyId, entries),
    due: (surveyId, kind, until, limit) => dueEntries(table, dueKey(source, surveyId, kind), until, limit),
    async nextDue(surveyId, kind) {
      const [first] = await dueEntries(table, dueKey(source, surveyId, kind), Number.MAX_SAFE_INTEGER, 1);
      return first?.nextCheck;
    },
    forRedrive: (surveyId, from) => redriveEntries(table, surveyKey(source, surveyId), from),
    emitted: (surveyId, from) => emittedResponses(table, surveyKey(source, surveyId), from),
  };
}
