import { holdSame } from "./pages.ts";
import type { PageRead } from "./ports.ts";

/** Pages on their way at once, at most; and pages after which one more is: what is asked for behind the end is a small part of a list. */
const MOST_AHEAD = 8;
const PAGES_FOR_ONE = 6;

interface Slot {
  page: number;
  /** Whether it was asked for after the page before it had come. */
  inTurn: boolean;
  first: Promise<PageRead>;
  /** Whether that is there. */
  came: boolean;
  /** Made once the pages on both of its sides have come. */
  second?: Promise<PageRead>;
}

export interface AheadReader {
  read(page: number): Promise<PageRead>;
  /** Resolves when nothing is on its way any more, and nothing more will be. */
  close(): Promise<void>;
}

/**
 * Reads pages before a scan asks for them, so that the service works on several at a time.
 *
 * A scan proves a seam by reading the earlier page again after the later one: if it has not changed, both stood so at one moment. That
 * holds only if the later one was asked for after the earlier one had come. Of two pages on their way together, each has to be read
 * twice, the second time after the other has come. So a page that was asked for before the one before it had come is given out once
 * such a second read has shown the same; else it is read anew, and what was read ahead is forgotten. The second reads are the very
 * ones that the scan asks for next, as proofs: they cost nothing.
 *
 * As long as a scan proves no seams only the next page is read ahead, in its turn. With each proof more are, but no more than a sixth of
 * the pages so far: what is asked for behind the end is lost.
 */
export function readAhead(read: (page: number) => Promise<PageRead>, pagesForOne = PAGES_FOR_ONE): AheadReader {
  let slots = new Map<number, Slot>();
  const onTheWay = new Set<Promise<void>>();
  let next: number | undefined;
  let depth = 1;
  /** The first page that was read as empty: what lies behind it is not read ahead. */
  let end = Number.POSITIVE_INFINITY;
  /** Whether the last page given out had its seam proved; whether the one before it had. */
  let asked = false;
  let proves = false;

  function forget(): void {
    slots = new Map();
    depth = 1;
    end = Number.POSITIVE_INFINITY;
  }

  /** A read that nobody may come to wait for: its failure is told to whoever does. */
  function begin(page: number): Promise<PageRead> {
    const answer = read(page);
    const over = answer.then(
      () => undefined,
      () => undefined,
    );
    onTheWay.add(over);
    void over.then(() => onTheWay.delete(over));
    return answer;
  }

  function request(page: number): Slot {
    const mine = slots;
    const before = mine.get(page - 1);
    const slot: Slot = { page, inTurn: before === undefined || before.came, first: begin(page), came: false };
    mine.set(page, slot);
    // The page before stands between two that have come, as soon as this one and the one before it have.
    if (before !== undefined) {
      void Promise.all([before.first, mine.get(page - 2)?.first, slot.first]).then(
        ([result]) => {
          if (mine === slots && proves && !isEmpty(result)) before.second ??= begin(before.page);
        },
        () => undefined,
      );
    }
    slot.first.then(
      (result) => {
        slot.came = true;
        if (mine === slots && isEmpty(result)) end = Math.min(end, page);
      },
      () => undefined,
    );
    return slot;
  }

  /** The first read of a slot if the page can be relied upon, as it was read in its turn or has stood. */
  async function reliable(slot: Slot): Promise<PageRead | undefined> {
    const result = await slot.first;
    if (slot.inTurn) return result;
    if (isEmpty(result)) return undefined;
    const following = slots.get(slot.page + 1) ?? request(slot.page + 1);
    try {
      await following.first;
    } catch {
      // It is no failure of this page, which may be the last of the list.
      return undefined;
    }
    slot.second ??= begin(slot.page);
    return holdSame(result, await slot.second) ? result : undefined;
  }

  async function inTurn(page: number): Promise<PageRead> {
    proves = asked;
    asked = false;
    if (proves) depth = Math.min(MOST_AHEAD, depth * 2, 1 + Math.floor(page / pagesForOne));
    else depth = 1;
    const slot = slots.get(page) ?? request(page);
    for (let i = page + 1; i < Math.min(page + depth, end); i += 1) if (!slots.has(i)) request(i);
    let result = await reliable(slot);
    if (result === undefined) {
      forget();
      result = await request(page).first;
    }
    next = page + 1;
    slots.delete(page - 3);
    if (!isEmpty(result) && !slots.has(next)) request(next);
    return result;
  }

  return {
    async read(page) {
      if (page === next) return inTurn(page);
      const proved = next !== undefined && page === next - 2 ? slots.get(page) : undefined;
      if (proved !== undefined) {
        asked = true;
        proved.second ??= begin(page);
        return proved.second;
      }
      forget();
      asked = false;
      next = page + 1;
      return request(page).first;
    },
    async close() {
      forget();
      while (onTheWay.size > 0) await Promise.all(onTheWay);
    },
  };
}

const isEmpty = (result: PageRead): boolean => result.kind === "none" || result.records.length === 0;
