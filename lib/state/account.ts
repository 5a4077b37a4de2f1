import { type AccountChanges, type AccountState, STORED_ONCE } from "../polling/index.ts";
import { checkVersion } from "./item-version.ts";
import { ACCOUNT, COUNTS_PREFIX, roleKey, SHARED, sourceKey } from "./keys.ts";
import { readRows } from "./rows.ts";
import { readShared } from "./shared.ts";
import { queryAll, setAttributes, type Table } from "./table-client.ts";

/** The account item, what the last tick has left, all counts and what the workers share, in one query. */
export async function readAccount(table: Table, source: string, now = Date.now): Promise<AccountState> {
  const account: AccountState = { rows: new Map() };
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": sourceKey(source) } };
  for await (const { Items } of queryAll(table, query)) {
    for (const raw of Items ?? []) {
      const { pk, sk, v, ...fields } = checkVersion(raw);
      if (sk === ACCOUNT) Object.assign(account, fields);
      else if (sk === SHARED) Object.assign(account, readShared(fields, now()));
      else if (sk === roleKey("tick")) Object.assign(account, fields.note);
      else if (String(sk).startsWith(COUNTS_PREFIX)) readRows(fields, account.rows);
    }
  }
  return account;
}

export async function writeAccount(table: Table, source: string, changes: AccountChanges): Promise<void> {
  await setAttributes(table, { pk: sourceKey(source), sk: ACCOUNT }, Object.entries(changes), STORED_ONCE);
}
