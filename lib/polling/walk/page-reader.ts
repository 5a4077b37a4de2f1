import type { PageRead } from "../ports.ts";
import { holdSame } from "./pages.ts";

/** Pages on their way at once, at most. */
const MOST_AHEAD = 12;
/** Pages after which one more is, where it is not known how long the list is: what is asked for behind the end is a small part of it. */
const PAGES_FOR_ONE = 6;
/** Of the pages that are left one in so many is asked for at once: the guess may be too large. */
const LEFT_FOR_ONE = 2;

interface Slot {
  page: number;
  /** Pages beside it that came before it was asked for: the second time they come before it as well. */
  after: number[];
  /** Whether the page before it had come, or was not asked for by this reader. */
  inTurn: boolean;
  first: Promise<PageRead>;
  /** Once that is there. */
  result?: PageRead;
  second?: Promise<PageRead>;
}

export interface PageReaderOptions {
  /** Whether pages are read before they are asked for: for a scan that goes on to the end of the list. */
  isAhead: boolean;
  /** How many pages are left behind one, as far as can be guessed; see `ListLength`. */
  left?: (page: number) => number | undefined;
  /** Whether two reads of a page hold the same. */
  isSame?: (one: PageRead, other: PageRead) => boolean;
}

export interface PageReader {
  read(page: number): Promise<PageRead>;
  /** One of the last two pages once more: first the earlier one, as the proof of the seam between them, then the later one. */
  reread(page: number): Promise<PageRead>;
  /** Resolves when nothing is on its way any more, and nothing more will be. */
  close(): Promise<void>;
}

/**
 * Reads pages for a scan, and before it asks for them, so that the service works on several at a time.
 *
 * A scan proves a seam by reading the pages on both of its sides twice, in turns: if neither has changed, both stood so at one moment,
 * unless the list went to and fro twice. So of two neighbours one is asked for after the other one has come, the first time and the second
 * time. Where several pages are on their way, that are every other one, and then those between them. The second reads are the very
 * ones that the scan asks for as proofs: they cost nothing. A page that was asked for before the one before it had come is given out once its
 * second read has shown the same; else it is read anew, and what was read ahead is forgotten.
 *
 * As long as a scan proves no seams only the next page is read ahead, in its turn. With each proof twice as many are, but no more than half of
 * what seems to be left: what is asked for behind the end is lost. Where none is to be read ahead, the next one is only between two seams that are
 * proved: then the second read of the page between them serves both.
 */
export function createPageReader(
  read: (page: number) => Promise<PageRead>,
  { isAhead, left = () => undefined, isSame = holdSame }: PageReaderOptions,
): PageReader {
  let slots = new Map<number, Slot>();
  const onTheWay = new Set<Promise<void>>();
  let next: number | undefined;
  let depth = 1;
  /** The first page that was read as empty: what lies behind it is not read ahead. */
  let end = Number.POSITIVE_INFINITY;
  /** Whether the last page given out had its seam proved; whether the one before it had. */
  let asked = false;
  let proves = false;

  /** Forgets all reads, but for the first one of a page. */
  function forget(but?: Slot): void {
    slots = new Map();
    if (but !== undefined) {
      const { second, ...first } = but;
      slots.set(but.page, { ...first, after: [] });
    }
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

  /** Begins a read when others are over; never, if it has been forgotten by then: nobody waits for it any more. */
  function beginAfter(page: number, others: Promise<unknown>[]): Promise<PageRead> {
    const mine = slots;
    return Promise.allSettled(others).then(() => (mine === slots ? begin(page) : new Promise<never>(() => undefined)));
  }

  function add(slot: Slot): Slot {
    const mine = slots;
    mine.set(slot.page, slot);
    slot.first.then(
      (result) => {
        slot.result = result;
        if (mine !== slots) return;
        if (isEmpty(result)) end = Math.min(end, slot.page);
        for (const one of [slot.page - 1, slot.page]) begun(one);
      },
      () => undefined,
    );
    return slot;
  }

  function request(page: number): Slot {
    const before = slots.get(page - 1);
    if (before === undefined) return add({ page, after: [], inTurn: true, first: begin(page) });
    if (before.result !== undefined) return add({ page, after: [page - 1], inTurn: true, first: begin(page) });
    const leads = [before];
    const behind = page + 1;
    if (behind < end)
      leads.push(slots.get(behind) ?? add({ page: behind, after: [], inTurn: false, first: begin(behind) }));
    const first = beginAfter(
      page,
      leads.map((lead) => lead.first),
    );
    return add({ page, after: leads.map((lead) => lead.page), inTurn: false, first });
  }

  /** Begins the second read of a page, if it will be asked for and may begin. */
  function begun(page: number): void {
    const slot = slots.get(page);
    if (!isAhead || !proves || slot?.result === undefined || isEmpty(slot.result)) return;
    if (slots.get(page + 1)?.result !== undefined) secondOf(slot).catch(() => undefined);
  }

  /** The second read of a page: after the first reads of its neighbours, and after the second ones of those that came first. */
  function secondOf(slot: Slot): Promise<PageRead> {
    if (slot.second !== undefined) return slot.second;
    const { page, after } = slot;
    const [before, behind] = [slots.get(page - 1), slots.get(page + 1) ?? request(page + 1)];
    const others: Promise<unknown>[] = before === undefined ? [behind.first] : [before.first, behind.first];
    for (const neighbour of [before, behind]) {
      if (neighbour === undefined || !after.includes(neighbour.page)) continue;
      // What lies behind the end is not asked for again.
      if (neighbour.result === undefined || !isEmpty(neighbour.result)) others.push(secondOf(neighbour));
    }
    slot.second = beginAfter(page, others);
    return slot.second;
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
    return isSame(result, await secondOf(slot)) ? result : undefined;
  }

  async function inTurn(page: number): Promise<PageRead> {
    proves = asked;
    asked = false;
    if (isAhead && proves) depth = Math.min(MOST_AHEAD, depth * 2, worthAsking(page, left(page)));
    else depth = 1;
    const slot = slots.get(page) ?? request(page);
    for (let i = page + 1; i < Math.min(page + depth, end); i += 1) if (!slots.has(i)) request(i);
    let result = await reliable(slot);
    if (result === undefined) {
      forget(slots.get(page - 1));
      result = await request(page).first;
    }
    next = page + 1;
    slots.delete(page - 3);
    if (isAhead && !isEmpty(result) && !slots.has(next)) request(next);
    return result;
  }

  return {
    async read(page) {
      if (page === next) return inTurn(page);
      forget();
      asked = false;
      next = page + 1;
      return request(page).first;
    },
    async reread(page) {
      const slot = slots.get(page);
      asked = true;
      if (next === undefined || slot === undefined) return begin(page);
      if (page === next - 1) return isAhead || proves ? secondOf(slot) : begin(page);
      slot.second ??= begin(page);
      return slot.second;
    },
    async close() {
      forget();
      while (onTheWay.size > 0) await Promise.all(onTheWay);
    },
  };
}

/** Pages to be on their way at once, by how many are left, or how far the list went beyond what was to be its end, or its beginning. */
function worthAsking(page: number, left: number | undefined): number {
  const share = left === undefined ? page / PAGES_FOR_ONE : left > 0 ? left / LEFT_FOR_ONE : -left / PAGES_FOR_ONE;
  return 1 + Math.floor(share);
}

const isEmpty = (result: PageRead): boolean => result.kind === "none" || result.records.length === 0;
