import { expect, it } from "vitest";
import { type BooksOpen, isUnreachable, sayWhyOpen } from "../../../../lib/polling/model/books.ts";

// R29
it.each<[BooksOpen, string, boolean]>([
  [{ code: "unaccounted", count: 2 }, "2 listed responses are not accounted for yet", false],
  [{ code: "pages-unreachable", pages: [3] }, "page 3 unreachable", true],
  [{ code: "pages-unreachable", pages: [3, 7] }, "page 3, 7 unreachable", true],
  [{ code: "range-unreachable" }, "range unreachable", true],
  [{ code: "pages-moved" }, "pages moved while they were read", false],
  [{ code: "read-as-empty" }, "the list was read as empty", false],
])("books that stay open by %j say why, and whether a part of the list could not be read", (why, sentence, range) => {
  expect([sayWhyOpen(why), isUnreachable(why)]).toEqual([sentence, range]);
});
