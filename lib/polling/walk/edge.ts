import type { Edge } from "../model/mark.ts";
import type { ReadRecord, Run } from "../model/records.ts";
import type { Page } from "./pages.ts";

export function edgeOf(
  page: Page,
  carry: Run | undefined,
  { sure, first, version }: { sure: boolean; first: string | undefined; version: string },
): Edge {
  const digests = carry?.records.map((record) => record.digest) ?? [];
  return {
    page: page.number,
    size: page.size,
    digest: page.digest,
    tail: page.tail,
    ...(carry === undefined ? {} : { carry: { responseId: carry.responseId, digests, sure } }),
    ...(version === "" ? {} : { version }),
    ...(first === undefined ? {} : { first }),
  };
}

/** The page before the edge, of which nothing but its end is known. */
export function pageOf({ page: number, size, digest, tail }: Edge): Page {
  return { number, read: Symbol("edge"), runs: [], orphans: [], size, texts: undefined, digest, tail, digests: [] };
}

/** The response at the edge; of its records only the digests are known. */
export function carryOf({ carry }: Edge): Run | undefined {
  if (carry === undefined) return undefined;
  const record = (digest: string): ReadRecord => ({
    responseId: carry.responseId,
    completed: undefined,
    completedAt: null,
    startedAt: null,
    raw: undefined,
    json: "",
    digest,
  });
  return { responseId: carry.responseId, records: carry.digests.map(record) };
}
