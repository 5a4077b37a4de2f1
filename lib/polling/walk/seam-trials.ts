// How still a list holds between the reads that prove its seams, and how often a scan tries.

/** How often the pages around one seam may change before its responses are left for a later scan. */
const MOST_BROKEN = 6;
/** Movements are borne in all as if there were so many pages more: a list that moves more often than that flips between a few states in turn. */
const MORE_PAGES = 8;
/** Seams that are looked at a third time after the list was seen to move. */
const RESTLESS_FOR = 6;

export interface SeamTrials {
  /**
   * Whether what two looks at a seam show alike is looked at once more: a list that moves goes to and fro at just the four reads now and
   * then. Where it hardly ever holds still, four have to be enough.
   */
  isThirdNeeded(): boolean;
  /** Notes that the list was seen to move between two reads of this page; whether it is read again from there. */
  moved(page: number): boolean;
  /** Notes that the seam behind this page held. */
  held(page: number): void;
  /** Notes that the seam behind this page did not hold; whether it is tried again. */
  broke(page: number): boolean;
}

export function createSeamTrials(): SeamTrials {
  /** Seams to come at which the list is taken to move. */
  let restless = 0;
  let broken = 0;
  /** The last page behind which the seam was broken, until it or a later one is proved: one before it says nothing of it. */
  let brokenAt = 0;
  /** Movements in all, and the first page at which one was seen. */
  let movements = 0;
  let first: number | undefined;
  const begin = (): void => {
    broken = 0;
    brokenAt = 0;
  };
  const moved = (page: number): boolean => {
    restless = RESTLESS_FOR;
    movements += 1;
    first = Math.min(first ?? page, page);
    return movements < MOST_BROKEN * (MORE_PAGES + page - first);
  };
  return {
    isThirdNeeded: () => restless > 0 && broken < MOST_BROKEN / 3,
    moved,
    held(page) {
      restless = Math.max(0, restless - 1);
      if (page >= brokenAt) begin();
    },
    broke(page) {
      brokenAt = Math.max(brokenAt, page);
      broken += 1;
      if (moved(page) && broken < MOST_BROKEN) return true;
      begin();
      return false;
    },
  };
}
