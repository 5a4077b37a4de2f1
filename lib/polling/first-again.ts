import { isSame, type Page } from "./pages.ts";

// Past the end of a list some services begin again: they answer with its first page.

/** Records by which the first page is known again, from all over it: what comes or goes there pushes only some of them off. */
const SAMPLED = 8;
/** Characters of a digest that are kept: it raises a doubt and settles none. */
const KEPT = 10;
/** How often both pages are read before a list that moves all the time is taken as it is. */
const MOST_TRIES = 6;

/** What is remembered of the first page, small enough to be kept in the mark. */
export function sampleOf(page: Page | undefined): string[] {
  const digests = page?.digests ?? [];
  const count = Math.min(SAMPLED, digests.length);
  const places = Array.from({ length: count }, (_, i) => Math.floor((i * digests.length) / count));
  return places.map((place) => digests[place]?.slice(0, KEPT) ?? "");
}

/** Whether a later page shows something of the first one, as changes of the list may bring about as well. */
export function mayBeFirst(page: Page, sample: readonly string[]): boolean {
  if (page.number === 1 || sample.length === 0) return false;
  return page.digests.some((digest) => sample.includes(digest.slice(0, KEPT)));
}

/** What a page that may be the first one again has turned out to be: that one, or this page of the list, which may have gone. */
export type Look = "first again" | { page: Page | undefined; settled: boolean };

/**
 * Reads the first page, and the one behind the page in doubt: only if all three hold the same has the service begun again. Of a list
 * that has such a page, page and first page differ while the page stands as it is, whatever was shifted from one to the other before.
 */
export async function lookAgain(page: Page, read: (page: number) => Promise<Page | undefined>): Promise<Look> {
  let last = page;
  let nothingBehind = false;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const first = await read(1);
    if (first !== undefined && !shareAny(first, last)) return { page: last, settled: true };
    const isFirst = isSame(first, last);
    const behind = isFirst ? await read(page.number + 1) : undefined;
    if (isFirst && isSame(behind, last)) return "first again";
    const again = await read(page.number);
    if (again === undefined) return { page: undefined, settled: true };
    const stands = first !== undefined && isSame(again, last);
    // Once nothing behind it may be a fault of the moment, as an empty first page is.
    if (stands && (!isFirst || behind !== undefined || nothingBehind)) return { page: again, settled: true };
    nothingBehind = isFirst && behind === undefined;
    last = again;
  }
  return { page: last, settled: false };
}

function shareAny(one: Page, other: Page): boolean {
  const digests = new Set(one.digests);
  return other.digests.some((digest) => digests.has(digest));
}
