import { isDeepStrictEqual } from "node:util";
import type { Run } from "../model/records.ts";
import type { PageComparison } from "./page-comparison.ts";
import { isFound, isFull, type Page } from "./pages.ts";

// Where one order ends the other one begins: its first page tells whether a page is the last one, where what comes behind that one only fails.

/** Pages at the end of a list that are looked at to find there what the other order begins with. */
const MOST_LAST = 6;

export interface OtherOrderOptions extends Pick<PageComparison, "isStill"> {
  /** Reads a page of this order as it is now. */
  look: (page: number) => Promise<Page | undefined>;
  /** Whether a list may go on behind a page of this size, as far as is known. */
  mayGoOn: (page: Page) => boolean;
}

/** What `first`, the first page of the other order, shows of a page that may be the last one. */
export interface OtherOrder {
  /**
   * Whether it begins with the responses that begin on `last`, whole, and nothing else before them: then that is the last page for certain.
   * `ending`: the response at the end of `last`, with what it had on the pages before.
   */
  beginsAt(first: Page, last: Page, ending: Run | undefined): Promise<boolean>;
  /**
   * Whether all of it lies on `last`, which stands as it was, and the pages before it: also where records of one response lie apart, or stand in the
   * same order there. Where both orders seem to be one and the same it shows nothing: then a page behind which none may stand is the last one.
   */
  liesNear(first: Page, last: Page): Promise<boolean>;
}

export function createOtherOrder({ look, isStill, mayGoOn }: OtherOrderOptions): OtherOrder {
  return {
    async beginsAt(first, last, ending) {
      // Of the first response of the page some may stand on the page before.
      const [, ...begun] = last.runs;
      const runs = begun.length === 0 && ending !== undefined ? [ending] : begun;
      const found = asFirst(runs, first, !mayGoOn(first));
      if (found === undefined || runs.length === 0) return false;
      const isEqual = (): boolean => runs.every((run, i) => holdSameRecords(run, found[i]));
      // They may hold a field that is not known yet as one that reads differently each time.
      return isEqual() || ((await isStill(last, () => look(last.number))) && isEqual());
    },
    async liesNear(first, last) {
      const pages: Page[] = [];
      const lookAt = async (number: number): Promise<Page | undefined> => {
        const page = await look(number);
        if (page !== undefined) pages[last.number - number] = page;
        return page;
      };
      if (!(await isStill(last, () => lookAt(last.number)))) return false;
      const isFoundSoFar = (): boolean => isFound(first.digests, ...pages);
      // Mostly two pages are enough; of responses that lie apart, or are large, it may show records that stand further up.
      for (let number = last.number - 1; number >= 1 && pages.length < MOST_LAST && !isFoundSoFar(); number -= 1) {
        if ((await lookAt(number)) === undefined) return false;
      }
      const isFoundThere = isFoundSoFar();
      const begins = isFoundThere ? pages.at(-1) : mayGoOn(last) ? undefined : await look(1);
      // What stands elsewhere shows that the list goes on, unless both orders are one and the same.
      const isSameOrder = first.digests.every((digest, i) => digest === begins?.digests[i]);
      return isSameOrder ? !mayGoOn(last) || (last.number === 1 && !isFull(last)) : isFoundThere;
    },
  };
}

/**
 * These responses, the last ones of their order, as the first page of the other order shows them: there they stand before all others. Undefined
 * where others do, or where one has more or fewer records there. In whatever order those of one response are, and responses that tie.
 * `isWhole`: that page is the whole list.
 */
function asFirst(last: Run[], page: Page, isWhole: boolean): Run[] | undefined {
  const first = page.runs.slice(0, last.length);
  // Behind them another one has to follow: else the page may not hold all that belongs to them.
  if (page.runs.length <= last.length && !isWhole) return undefined;
  const found = last.flatMap((run) => first.find((other) => isAlike(run, other)) ?? []);
  return found.length === last.length && new Set(found).size === last.length ? found : undefined;
}

const isAlike = (one: Run, other: Run): boolean =>
  one.responseId === other.responseId && one.records.length === other.records.length;

function holdSameRecords(one: Run, other: Run | undefined): boolean {
  const digestsOf = (run: Run | undefined) => run?.records.map(({ digest }) => digest).toSorted();
  return isDeepStrictEqual(digestsOf(one), digestsOf(other));
}
