import pLimit from "p-limit";
import { endsWork } from "../polling/errors.ts";
import type { Judgement } from "../polling/ledger/judge.ts";
import type { AccountState } from "../polling/model/account.ts";
import type { LedgerEntry } from "../polling/model/ledger-entry.ts";
import type { Run } from "../polling/model/records.ts";
import type { Ports } from "../polling/ports.ts";
import { knownOf } from "../polling/survey/with-survey.ts";
import { type Page, toPage } from "../polling/walk/page.ts";

// Pages that are only looked at: no lease, no mark, nothing is written.

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

/** How a walk over all pages would judge them. */
export function judgementOf(account: AccountState, hasBooks: boolean, now: number): Judgement {
  return { start: knownOf(account).start, hasBooks, now, looksAtHeld: true, replaces: false };
}

/** Doublings after which a service is taken to answer any page number. */
const MOST_DOUBLINGS = 32;

/**
 * Number of the last page that holds records, found in about 2 log2 requests; 0 for an empty list. `guess`: a page that may be the last.
 *
 * Behind the end some services show nothing, some fail, and some show the last page or the first again.
 */
export async function lastPageOf(ports: Ports, surveyId: number, guess = 1): Promise<number> {
  const known = new Map<number, string | undefined>();
  const signatureAt = async (page: number): Promise<string | undefined> => {
    if (!known.has(page)) known.set(page, await signatureOf(ports, surveyId, page));
    return known.get(page);
  };
  const first = await signatureAt(1);
  if (first === undefined) return 0;
  let far = Math.max(2, guess * 2);
  let beyond: string | undefined;
  for (let tries = 0; tries < MOST_DOUBLINGS; tries += 1, far *= 2) {
    beyond = await signatureAt(far);
    if (beyond === undefined || beyond === first || beyond === (await signatureAt(far * 2))) break;
  }
  const isThere = async (page: number): Promise<boolean> => {
    const signature = page === 1 ? undefined : await signatureAt(page);
    return page === 1 || (signature !== undefined && signature !== first && signature !== beyond);
  };
  let low = (await isThere(guess)) ? guess : 1;
  let high = far;
  // Most lists have grown by little since their end was seen.
  if (!(await isThere(low + 1))) high = low + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isThere(middle)) low = middle;
    else high = middle;
  }
  // Of a list whose last page is shown again and again, that page is what stands behind `low`.
  return beyond !== undefined && beyond !== first ? low + 1 : low;
}

async function signatureOf(ports: Ports, surveyId: number, page: number): Promise<string | undefined> {
  const [look] = await lookAtPages(ports, surveyId, [page]);
  if (look === undefined || "page" in look) return look?.page?.signature;
  if (page === 1) throw look.error;
  return undefined;
}
