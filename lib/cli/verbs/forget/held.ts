import { isDeepStrictEqual } from "node:util";
import { bareEntry, prefixesOf } from "../../../operator/forget.ts";
import type { LedgerEntry, SurveyState } from "../../../polling/index.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { FoundResponse } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";

/** The parts of a response that are held beside an entry that says that it is settled. */
export interface Held {
  /** Fields of its entry in the table that go; "pending" where an event of it has not reached the ledger yet. */
  table: string[];
  /** Keys of objects in the bucket. */
  bucket: string[];
}

export async function heldOf(target: Target, found: FoundResponse): Promise<Held> {
  const { source, surveyId, id, entry, mark } = found;
  const keys = await askingAws("the bucket could not be looked at", () =>
    Promise.all(prefixesOf(source, surveyId, id, entry).map((prefix) => target.bucket.keysUnder(prefix))),
  );
  const going = entry === undefined ? [] : goingOf(entry);
  return { table: isPending(mark, id) ? [...going, "pending"] : going, bucket: keys.flat().sort() };
}

function goingOf(entry: LedgerEntry): string[] {
  const bare = bareEntry(entry);
  const names = Object.keys(entry) as (keyof LedgerEntry)[];
  return names.filter((name) => !isDeepStrictEqual(entry[name], bare[name]));
}

/** Whether the state of its survey knows of an event of it that the ledger does not have yet. */
export function isPending({ pending = [] }: SurveyState, id: LedgerEntry["id"]): boolean {
  return pending.some((one) => one.id === id);
}

/** All that is held of a response, whole: its entry with the records that are kept in it, what the ledger has not taken yet, and its objects by their keys. */
export async function readHeld(target: Target, found: FoundResponse): Promise<object> {
  const { source, surveyId, name, id, entry = null, mark } = found;
  const { bucket: keys } = await heldOf(target, found);
  const contents = await askingAws("the bucket could not be read", () =>
    Promise.all(keys.map(async (key) => [key, await target.bucket.get(key)] as const)),
  );
  const pending = (mark.pending ?? []).filter((one) => one.id === id);
  return { source, surveyId, name, id, entry, pending, objects: Object.fromEntries(contents) };
}
