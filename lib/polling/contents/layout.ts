import type { ReadRecord } from "../model/records.ts";

// How the records of responses stand in a list that may have moved while it was read.

/** Records of one response that stood next to each other on one page. */
export interface PlacedRun {
  page: number;
  records: ReadRecord[];
}

/** Responses of more than one record that a full pass must have met before it says anything of how records stand. */
export const SEVERAL = 5;

/** What the responses of one pass show, each added with all of its runs, in the order of their pages. */
export interface Layout {
  /** `whole`: whether all of its records were there to be met. */
  add(runs: PlacedRun[], whole: boolean): void;
  isTogether(): boolean;
}

export function createLayout(): Layout {
  /** Pages at whose end a response was cut: only one stands there. */
  const cuts = new Set<number>();
  let together = 0;
  let apart = false;
  return {
    add(runs, whole) {
      const pages = runs.map(({ page }) => page);
      // One page is read in one moment: what stands on it twice lies apart.
      if (new Set(pages).size < pages.length) apart = true;
      const digests = new Set(runs.flatMap(({ records }) => records.map(({ digest }) => digest)));
      // What a move has shown once more stands in one place all the same.
      const isOne = runs.some(({ records }) => new Set(records.map(({ digest }) => digest)).size === digests.size);
      if (isOne && whole && digests.size > 1) together += 1;
      if (isOne) return;
      for (const [i, page] of pages.slice(0, -1).entries()) {
        if (pages[i + 1] !== page + 1 || cuts.has(page)) apart = true;
        cuts.add(page);
      }
    },
    isTogether: () => !apart && together >= SEVERAL,
  };
}
