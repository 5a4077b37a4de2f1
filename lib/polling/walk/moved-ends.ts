import { isFound, type Page } from "./pages.ts";

/** Pages on which the end of a page is looked for that has moved: further behind it nothing is proved any more. */
const SOUGHT_FOR = 8;

/**
 * Ends of pages that have moved while a scan read on: something may have slipped through behind them. Where one is found again nothing has,
 * for all that followed it will be met.
 */
export interface MovedEnds {
  /** Looks for the end of a page, by its last digests, from now on. */
  seek(tail: string[], page: number): void;
  /** Strikes what is found on these two pages, which were seen to stand together; false where something was not found for long and counts as passed by. */
  met(previous: Page | undefined, page: Page): boolean;
  /** Whether any is still to be found. */
  isAnySought(): boolean;
}

export function createMovedEnds(): MovedEnds {
  let sought: { tail: string[]; page: number }[] = [];
  return {
    seek(tail, page) {
      if (!sought.some((one) => one.tail === tail)) sought.push({ tail, page });
    },
    met(previous, page) {
      sought = sought.filter(({ tail }) => !isFound(tail, previous, page));
      if (!sought.some((one) => page.number > one.page + SOUGHT_FOR)) return true;
      sought = [];
      return false;
    },
    isAnySought: () => sought.length > 0,
  };
}
