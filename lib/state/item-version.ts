import { StateRefusedError } from "../polling/index.ts";

/** Version of every item this code writes. It rises with the form of any item, and so of the state, a ledger entry, a row or the account. */
export const ITEM_VERSION = 4;

/** Two versions run at once during a deploy: neither goes on with what the other one has written. */
export function checkVersion<T extends Record<string, unknown>>(item: T): T {
  if (typeof item.v === "number" && item.v !== ITEM_VERSION) throw otherVersion(item.v);
  return item;
}

/** @param version of the item; undefined where nobody has read it: an earlier one would have been met before */
export function otherVersion(version?: number): StateRefusedError {
  if (version !== undefined && version < ITEM_VERSION) {
    const message = `an item of the table is of version ${version}, and this code reads version ${ITEM_VERSION}`;
    return new StateRefusedError(message, {
      hint: "Deploy the earlier version of the poller again. Or remove the table (of `npm start` its data folder) and start anew with a date as `startFrom`.",
    });
  }
  return new StateRefusedError(`an item of the table is newer than version ${ITEM_VERSION}, which this code knows`, {
    hint: "A newer version of the poller has written it: deploy that version again.",
  });
}
