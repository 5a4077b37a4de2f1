import { bareEntry, isBare, prefixesOf } from "../../../operator/forget.ts";
import type { LedgerEntry, SurveyState } from "../../../polling/index.ts";
import { readMark } from "../../../state/leases.ts";
import { readEntry } from "../../../state/ledger.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { type FoundResponse, fromTable } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";

/** The parts of a response that are held beside an entry that says that it is settled. */
export interface Held {
  /** Fields of its entry in the table that go. */
  entry: string[];
  /** Parts of the survey's mark that name it. */
  mark: string[];
  /** Keys of objects in the bucket. */
  objects: string[];
}

export const NOTHING: Held = { entry: [], mark: [], objects: [] };

export async function heldOf(target: Target, found: FoundResponse): Promise<Held> {
  const { source, surveyId, id, entry, mark } = found;
  const objects = await askingAws("the bucket could not be looked at", () =>
    Promise.all(prefixesOf(source, surveyId, id, entry).map((prefix) => target.bucket.keysUnder(prefix))),
  );
  return { entry: entry === undefined ? [] : goingOf(entry), mark: partsOf(mark, id), objects: objects.flat().sort() };
}

export function isNothing({ entry, mark, objects }: Held): boolean {
  return entry.length + mark.length + objects.length === 0;
}

/** Where the mark of a survey knows of one response, other than by its place in a list of ids. */
export function partsOf({ pending = [] }: SurveyState, id: LedgerEntry["id"]): string[] {
  return pending.some((one) => one.id === id) ? ["pending"] : [];
}

/** A response, as ledger and mark have it now. */
export function readFound(
  target: Target,
  { source, surveyId, id }: Omit<FoundResponse, "name" | "entry" | "mark">,
): Promise<FoundResponse> {
  return fromTable(async () => {
    const entry = await readEntry(target.table, source, surveyId, id);
    const mark = await readMark(target.table, source, surveyId);
    return { source, surveyId, name: mark.survey?.facts.name ?? null, id, entry, mark };
  });
}

/** All that is held of a response, whole. */
export interface ExportedResponse {
  source: string;
  surveyId: number;
  name: string | null;
  id: LedgerEntry["id"];
  /** Of the ledger, with the records that are kept in it. */
  entry: LedgerEntry | null;
  /** The entries that the ledger has not taken yet. */
  pending: LedgerEntry[];
  /** Kept records and large answers in the bucket, by their keys. */
  objects: Record<string, unknown>;
}

export async function readHeld(target: Target, found: FoundResponse, { objects }: Held): Promise<ExportedResponse> {
  const { source, surveyId, name, id, entry = null, mark } = found;
  const contents = await askingAws("the bucket could not be read", () =>
    Promise.all(objects.map(async (key) => [key, await target.bucket.get(key)] as const)),
  );
  const pending = (mark.pending ?? []).filter((one) => one.id === id);
  return { source, surveyId, name, id, entry, pending, objects: Object.fromEntries(contents) };
}

function goingOf(entry: LedgerEntry): string[] {
  if (isBare(entry)) return [];
  const bare = bareEntry(entry);
  const names = Object.keys(entry) as (keyof LedgerEntry)[];
  return names.filter((name) => JSON.stringify(entry[name]) !== JSON.stringify(bare[name]));
}
