import { isObject } from "../../events/build/fields.ts";
import type { Run } from "../model/records.ts";
import type { PageRead } from "../ports.ts";
import type { Carry } from "./join.ts";
import { isFull, type Page, toPage } from "./page.ts";

/**
 * Whether the list ends with its last page that could be read (R9). It does where the other order begins with the response that ends that page, and shows the very
 * records of it. Where these lie apart, those at the end of the page count. If its beginning was not read the other order may show more: it is not whole in any
 * case. `carry`: the responses of that page.
 */
export async function endsHere(
  page: Page | undefined,
  carry: Carry,
  otherFirst: () => Promise<PageRead>,
): Promise<boolean> {
  const run = page?.runs.at(-1);
  const piece = carry.find(({ responseId }) => responseId === run?.responseId);
  if (run === undefined || piece === undefined) return false;
  const other = toPage(1, await otherFirst());
  const [first, second] = other?.runs ?? [];
  // It may go on behind that page.
  if (other === undefined || first === undefined || (second === undefined && isFull(other))) return false;
  if (first.responseId !== run.responseId) return false;
  const [own, others] = [keysOf(piece.apart ? run : piece), keysOf(first)];
  return piece.begins || piece.apart ? own.join() === others.join() : own.every((key) => others.includes(key));
}

/** The questions of a response's records, sorted. */
function keysOf({ records }: Pick<Run, "records">): string[] {
  return records.map(({ raw }) => JSON.stringify(isObject(raw) ? raw.questionId : null)).sort();
}
