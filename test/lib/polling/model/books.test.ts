import { expect, it } from "vitest";
import { type BooksOpen, isUnreachable, sayWhyOpen } from "../../../../lib/polling/model/books.ts";

// R29
it.each<[BooksOpen, string, boolean]>([
  [{ code: "UNACCOUNTED", count: 2 }, "2 listed responses are not accounted for yet", false],
  [{ code: "PAGES_UNREACHABLE", pages: [3] }, "page 3 unreachable", true],
  [{ code: "PAGES_UNREACHABLE", pages: [3, 7] }, "page 3, 7 unreachable", true],
  [{ code: "RANGE_UNREACHABLE" }, "range unreachable", true],
  [{ code: "PAGES_MOVED" }, "pages moved while they were read", false],
  [{ code: "READ_AS_EMPTY" }, "the list was read as empty", false],
  [{ code: "TOO_MANY" }, "there were more responses than a catch-up counts", false],
])("books that stay open by %j say why, and whether a part of the list could not be read", (why, sentence, range) => {
  expect([sayWhyOpen(why), isUnreachable(why)]).toEqual([sentence, range]);
});
