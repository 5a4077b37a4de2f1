import { isFull, type Page } from "./page.ts";

/** Whether a page of fewer than 100 records is the last one: learned once for a source, and false for good once contradicted (A6). */
export type ShortPageEnds = boolean | undefined;

/** A walk's knowledge of the end of its list (R8). */
export interface ListEnd {
  /** Notes two pages that follow each other, or that nothing follows. */
  met(before: Page | undefined, page: Page | undefined): void;
  /** Whether this page only shows again what the page before it or page 1 has shown: so some services answer behind the end. */
  repeats(page: Page, before: Page | undefined): boolean;
  /** Whether nothing is looked for behind this page. */
  isLast(page: Page): boolean;
  /** Whether page 1 was met. */
  knowsFirst(): boolean;
  shortPageEnds(): ShortPageEnds;
}

export function createListEnd(known: ShortPageEnds): ListEnd {
  let learned = known;
  let first: string | undefined;
  return {
    met(before, page) {
      if (page?.number === 1) first = page.signature;
      if (before === undefined || isFull(before)) return;
      learned = page === undefined && learned !== false;
    },
    repeats: (page, before) =>
      page.number > 1 &&
      ((before?.number === page.number - 1 && before.signature === page.signature) || first === page.signature),
    isLast: (page) => learned === true && !isFull(page),
    knowsFirst: () => first !== undefined,
    shortPageEnds: () => learned,
  };
}
