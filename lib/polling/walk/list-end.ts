import { RangeUnreachableError } from "../errors.ts";
import type { Run } from "../model/records.ts";
import type { VolatileFields } from "../model/volatile-fields.ts";
import { mayBePastEnd } from "./failing-end.ts";
import { createOtherOrder } from "./other-order.ts";
import type { PageComparison } from "./page-comparison.ts";
import { isFull, type Page } from "./pages.ts";

// What a service answers behind the last page is not shown: nothing, the last page once more, the first one, or a fault of its own.

/** Rounds after which a list that begins again each time has gone round. */
const MOST_ROUNDS = 64;

export interface ListEndOptions extends PageComparison {
  /** Whether a page of fewer than 100 records was the last one whenever it was met; undefined: not known yet. */
  shortPageEnds: boolean | undefined;
  /** Digest of the first page as an earlier scan has read it. */
  first: string | undefined;
  volatile: Pick<VolatileFields, "version">;
  read: (page: number) => Promise<Page | undefined>;
  /** Reads a page as it is now, whatever was read of it before. */
  look: (page: number) => Promise<Page | undefined>;
  /** The response at the end of the last page, with what it had on the pages before. */
  ending: () => Run | undefined;
  /** Reads the first page of the other order, which begins where this one ends. */
  otherFirst: () => Promise<Page | undefined>;
  /** Notes a failure to read a page behind what may be the last one; whether it has lasted for so long that it is how this service answers there. */
  failsPastEnd: (error: unknown) => boolean;
}

/** How a scan tells the end of its list. `last` is the page that it has read last, as long as it has not stepped back. */
export interface ListEnd {
  /** See `ListEndOptions`; as learned on the way. */
  shortPageEnds(): boolean | undefined;
  /** Digest of the first page as it was read last. */
  firstDigest(): string | undefined;
  /** Whether the list may go on behind a page of this size: a full one, or any where short ones are known not to be the last. */
  mayGoOn(page: Page): boolean;
  /** Whether pages behind the end fail; undefined where none was read. */
  isFailing(): boolean | undefined;
  /** Notes a page of the list, behind `last`. */
  met(page: Page, last: Page | undefined): void;
  /** Notes that a page stands behind `last` for certain. */
  goesOn(last: Page): void;
  /**
   * Reads a page behind `last`; undefined as well where it fails, and that is the end of the list: at once where the other order begins with
   * what `last` ends with, or once it has lasted where it begins near there. Where it begins elsewhere the list goes on, whatever fails.
   */
  readBehind(page: number, last: Page | undefined): Promise<Page | undefined>;
  /** Whether what fails at this page, the first one that is read, does so because the list ends before it. */
  isBehind(page: number, error: unknown): Promise<boolean>;
  /**
   * Whether the service has begun again with its first page, as some do behind the last one: with that page alone, or with all of them. A list
   * may hold such a page, but then what is behind it is another one, or is not there.
   */
  beginsAgain(page: Page, last: Page | undefined): Promise<boolean>;
  /**
   * What `page` is, equal to the one before it, of which `now` is another read: the last page once more, as some services answer; the same
   * records, moved from one page to the other; or a page of its own, in the midst of a list where two are alike.
   */
  equalPage(page: Page, now: Page | undefined): Promise<"last" | "moved" | "own">;
  /** Whether the list ends with `last`, by what every scan so far has shown. */
  isTold(last: Page | undefined): boolean;
  /**
   * What stands on a page that was read as empty behind `last`; undefined where that is the end of the list.
   *
   * @throws RangeUnreachableError when it stays empty although the one behind it holds records
   */
  secondLook(page: number, last: Page | undefined): Promise<Page | undefined>;
  /** Whether the list ends with `last` still. */
  stillEnds(last: Page): Promise<boolean>;
}

export function createListEnd(options: ListEndOptions): ListEnd {
  const { read, look, isSame, isStill, isRepeat, isFollowed, volatile } = options;
  let { shortPageEnds } = options;
  const { version } = volatile;
  /** As this scan has read it. */
  let first: Page | undefined;
  let failing: boolean | undefined;
  /** The page behind which a failure has ended the list, and the first one of the other order then. */
  let ended: { last: Page; first: Page | undefined; isCertain: boolean; isToBeSeenAgain: boolean } | undefined;
  /** Whether a page was met behind a short one. */
  let shortGoesOn = false;

  const mayGoOn = (page: Page): boolean => !isShort(page) || shortPageEnds === false || shortGoesOn;

  const otherOrder = createOtherOrder({ look, isStill, mayGoOn });

  /** Of an earlier scan as long as it is comparable. */
  const firstDigest = (): string | undefined =>
    first !== undefined ? first.digest : volatile.version === version ? options.first : undefined;

  /** Whether the failure to read behind `last` is the end of the list. */
  const endsBy = async (error: unknown, last: Page): Promise<boolean> => {
    if (ended?.last === last && !ended.isToBeSeenAgain) return true;
    const first = await options.otherFirst().catch(() => undefined);
    const isCertain = first !== undefined && (await otherOrder.beginsAt(first, last, options.ending()));
    // What has ended it does so still where neither `last` has changed nor this.
    const stillEnds = ended?.last === last && isSame(first, ended.first);
    const isEnd = isCertain || stillEnds || (first !== undefined && (await otherOrder.liesNear(first, last)));
    // Where it is certain it is known from now on as the way in which the service ends a list, where the other order does not tell.
    const hasLasted = isEnd && options.failsPastEnd(error);
    ended = isCertain || stillEnds || hasLasted ? { last, first, isCertain, isToBeSeenAgain: false } : undefined;
    return ended !== undefined;
  };

  const readBehind = async (page: number, last: Page | undefined): Promise<Page | undefined> => {
    try {
      const behind = await read(page);
      if (behind === undefined) failing ??= false;
      return behind;
    } catch (error) {
      if (last === undefined || !mayBePastEnd(error) || !(await endsBy(error, last))) throw error;
      failing = true;
      return undefined;
    }
  };

  /** The last page before one that fails, found in a few looks; undefined where even the first page is empty. Throws where that fails. */
  const lastReadable = async (failing: number): Promise<Page | undefined> => {
    let last = await look(1);
    for (let [low, high] = [1, failing]; last !== undefined && high - low > 1; ) {
      const middle = Math.floor((low + high) / 2);
      const page = await look(middle).catch((error: unknown) => {
        if (mayBePastEnd(error)) return undefined;
        throw error;
      });
      if (page === undefined) high = middle;
      else [low, last] = [middle, page];
    }
    return last;
  };

  const beginsAgain = async (page: Page, last: Page | undefined): Promise<boolean> => {
    if (page.number === 1) return false;
    // A scan that has begun further down has not read it yet, and of what it was to an earlier one only a digest is known.
    const isUnknown = firstDigest() === undefined && volatile.version !== version;
    if (first === undefined && (isShort(last) || isUnknown)) first = await look(1);
    // Of the page before it that has been asked already.
    const isFirst = page.digest === firstDigest() || (last?.number !== 1 && (await isRepeat(page, first, look)));
    if (!isFirst || !isSame(await read(1), page)) return false;
    if (isSame(await read(page.number + 1), page)) return true;
    // Or it goes round, with one page after the other: then this one comes again after each round.
    for (let rounds = 2; rounds <= MOST_ROUNDS; rounds *= 2) {
      if (!isSame(await look(1 + rounds * (page.number - 1)), page)) return false;
    }
    return true;
  };

  return {
    shortPageEnds: () => shortPageEnds,
    firstDigest,
    mayGoOn,
    isFailing: () => failing,
    met: (page, last) => {
      if (page.number === 1) first = page;
      shortGoesOn ||= isShort(last);
    },
    goesOn: (last) => {
      if (isShort(last)) shortPageEnds = false;
    },
    readBehind,
    isBehind: async (page, error) => {
      if (page === 1 || !mayBePastEnd(error)) return false;
      const last = await lastReadable(page);
      if (last === undefined) return true;
      const first = await options.otherFirst();
      return first !== undefined && otherOrder.liesNear(first, last);
    },
    beginsAgain,
    equalPage: async (page, now) => {
      // A page's worth of new records also shifts it there, if only for a moment.
      if (!isSame(now, page) || !isSame(await read(page.number), page)) return "moved";
      if (!(await isFollowed(page, look))) return "last";
      // The list may have become longer meanwhile.
      return isSame(await look(page.number), page) ? "own" : "moved";
    },
    isTold: (last) => isShort(last) && shortPageEnds === true,
    secondLook: async (page, last) => {
      if (ended?.last === last && ended?.isCertain === true) return undefined;
      // One empty page may be a fault of the moment; two in a row are the end, if the first of them stays empty: the
      // second is empty anyway where the first was the last of the list.
      const next = await readBehind(page + 1, last).catch((error: unknown) => {
        // Behind a list that holds nothing at all.
        if (last !== undefined || !mayBePastEnd(error)) throw error;
        failing = true;
        return undefined;
      });
      const again = await readBehind(page, last);
      if (next === undefined || isSame(next, last)) {
        if (again !== undefined && !isSame(again, last)) return again;
        // What fails may work again one day, and says nothing then.
        if (isShort(last) && failing !== true) shortPageEnds ??= true;
        return undefined;
      }
      if (again !== undefined) return again;
      throw new RangeUnreachableError(`page ${page} is empty although page ${page + 1} holds records`, {
        retryable: true,
        hint: "The survey is read again at the next tick; if this stays, ask the service's operator.",
      });
    },
    stillEnds: async (last) => {
      // Not by what this very end has taught.
      if (options.shortPageEnds === true && isShort(last)) return true;
      if (ended !== undefined) ended.isToBeSeenAgain = true;
      const now = await readBehind(last.number + 1, last);
      return now === undefined || isSame(now, last) || (await beginsAgain(now, last));
    },
  };
}

function isShort(page: Page | undefined): page is Page {
  return page !== undefined && !isFull(page);
}
