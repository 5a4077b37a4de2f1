import { StateRefusedError } from "../polling/errors.ts";

/** Version of every item this code writes. Newer code reads older items. */
export const ITEM_VERSION = 1;

/** Two versions run at once during a deploy: the older one stops at what the newer one has written. */
export function checkVersion<T extends Record<string, unknown>>(item: T): T {
  if (typeof item.v === "number" && item.v > ITEM_VERSION) {
    throw newerVersion();
  }
  return item;
}

export function newerVersion(): StateRefusedError {
  return new StateRefusedError(`an item of the table is newer than version ${ITEM_VERSION}, which this code knows`, {
    hint: "A newer version of the poller has written it: deploy that version again.",
  });
}
