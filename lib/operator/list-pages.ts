import pLimit from "p-limit";
import {
  type AccountState,
  endsWork,
  type Judgement,
  knownOf,
  type LedgerEntry,
  lastOf,
  type Page,
  type Ports,
  type Run,
  toPage,
} from "../polling/index.ts";

// Pages that are only looked at: no lease, no state, nothing is written.

/** Pages read at once. */
export const AT_ONCE = 4;

/** One read of a page; undefined where there is none. */
export type PageLook = { page: Page | undefined } | { error: unknown };

/** Pages in asc order, several at once; what they ask waits behind what ticks ask. */
export async function lookAtPages(ports: Ports, surveyId: number, pages: number[]): Promise<PageLook[]> {
  const service = ports.backlog ?? ports.service;
  const limit = pLimit(AT_ONCE);
  const look = async (page: number): Promise<PageLook> => {
    try {
      return { page: toPage(page, await service.page(surveyId, page, "asc")) };
    } catch (error) {
      if (endsWork(error)) throw error;
      return { error };
    }
  };
  return Promise.all(pages.map((page) => limit(look, page)));
}

/** The entries of the responses of a page. */
export async function entriesOf(
  ports: Ports,
  surveyId: number,
  runs: readonly Run[],
): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const ids = [...new Set(runs.map(({ responseId }) => responseId))];
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  for (let i = 0; i < ids.length; i += 100) {
    for (const [id, entry] of await ports.state.entries(surveyId, ids.slice(i, i + 100))) entries.set(id, entry);
  }
  return entries;
}

/** How a full read would judge them. */
export function judgementOf(account: AccountState, hasBooks: boolean, now: number): Judgement {
  return { start: knownOf(account).start, hasBooks, now, looksAtHeld: true, replaces: false };
}

/** A page number that no list reaches. */
const BEYOND = 1_000_000;

/**
 * Number of the last page that holds records, found in about 2 log2 requests; 0 for an empty list. `guess`: a page that may be the last.
 *
 * Behind the end some services show nothing, some fail, and some show the last page or the first again.
 */
export async function lastPageOf(ports: Ports, surveyId: number, guess = 1): Promise<number> {
  const signatureAt = async (page: number): Promise<string | undefined> => {
    const [look] = await lookAtPages(ports, surveyId, [page]);
    if (look !== undefined && "error" in look && page === 1) throw look.error;
    return look === undefined || "error" in look ? undefined : look.page?.signature;
  };
  const [first, beyond] = await Promise.all([signatureAt(1), signatureAt(BEYOND)]);
  if (first === undefined) return 0;
  const isThere = async (page: number): Promise<boolean> => {
    const signature = page === 1 ? first : await signatureAt(page);
    return page === 1 || (signature !== undefined && signature !== beyond);
  };
  const known = (await isThere(guess)) ? guess : 1;
  // Most lists have grown by little since their end was seen.
  const last = (await isThere(known + 1)) ? await lastOf(known + 1, isThere) : known;
  // Of a list whose last page is shown again and again, that page is what stands behind the last one of its own.
  return (last ?? BEYOND) + (beyond !== undefined && beyond !== first ? 1 : 0);
}
