import { createBucket } from "../../../lib/aws/bucket.ts";
import { bareEntry, isBare, prefixesOf } from "../../../lib/operator/forgotten.ts";
import type { LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import type { Mark } from "../../../lib/polling/model/mark.ts";
import { readMark } from "../../../lib/state/leases.ts";
import { readEntry } from "../../../lib/state/ledger.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { FoundResponse } from "../../target/find-response.ts";
import { tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import type { ForgetAnswer } from "./answer.ts";

export type Held = ForgetAnswer["held"];

/** The parts of a response that are held beside an entry that says that it is settled. */
export async function heldOf(target: Target, found: FoundResponse): Promise<Held> {
  const { source, surveyId, id, entry, mark } = found;
  const bucket = createBucket(target.clients.s3, target.resources.claimCheckBucket);
  const objects = await askingAws("the bucket could not be looked at", () =>
    Promise.all(prefixesOf(source, surveyId, id, entry).map((prefix) => bucket.keysUnder(prefix))),
  );
  return { entry: entry === undefined ? [] : goingOf(entry), mark: partsOf(mark, id), objects: objects.flat().sort() };
}

/** The same, with entry and mark as they are now. */
export async function readAgain(target: Target, found: FoundResponse): Promise<FoundResponse> {
  const { source, surveyId, id } = found;
  return askingAws("the table could not be read", async () => ({
    ...found,
    entry: await readEntry(tableOf(target), source, surveyId, id),
    mark: await readMark(tableOf(target), source, surveyId),
  }));
}

export function isNothing({ entry, mark, objects }: Held): boolean {
  return entry.length + mark.length + objects.length === 0;
}

/** Names of the fields that change or go. */
function goingOf(entry: LedgerEntry): string[] {
  if (isBare(entry)) return [];
  const bare = bareEntry(entry);
  const names = Object.keys(entry) as (keyof LedgerEntry)[];
  return names.filter((name) => JSON.stringify(entry[name]) !== JSON.stringify(bare[name]));
}

/** Where the mark of a survey knows of one response, other than by its place in a list of ids. */
export function partsOf({ changes = [], contents, pending = [] }: Mark, id: LedgerEntry["id"]): string[] {
  return [
    ...(changes.some((sight) => sight.id === id) ? ["changes"] : []),
    ...(contents.suspects?.some((one) => one === id) ? ["suspects"] : []),
    ...(pending.some((one) => one.id === id) ? ["pending"] : []),
  ];
}
