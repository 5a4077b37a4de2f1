import { expect, it } from "vitest";
import { toPage } from "../../../../lib/polling/walk/page.ts";
import { type Boundary, type Fragment, isWhole, join } from "../../../../lib/polling/walk/whole.ts";

/** A record as `response/question`. */
function toRecord(text: string): unknown {
  const [responseId, questionId] = text.split("/").map(Number);
  return { responseId, questionId, completed: 1 };
}

/** Id, page, questions, and what of it is missing. */
function shown(fragments: readonly Fragment[]): string {
  const texts = fragments.map((one) => {
    const questions = one.records.map(({ raw }) => (raw as { questionId: number }).questionId).join("+");
    const text = `${one.begins ? "" : "…"}${one.responseId}@${one.page}:${questions}${one.ends ? "" : "…"}`;
    expect(isWhole(one)).toBe(!text.includes("…"));
    return text;
  });
  return texts.join(" ");
}

// R4, R6: pages, each with how it meets the one before it, what has ended by them, and what may go on behind the last.
it.each([
  [
    "strictly inside a page are whole by it; the first one of the list begins there",
    "start 1/1 1/2 2/1 3/1",
    "",
    "1@1:1+2 2@1:1 3@1:1…",
  ],
  [
    "across a proved boundary are joined, and what the next page does not go on with has ended",
    "start 1/1 2/1 | proved 2/2 3/1 | proved 4/1",
    "1@1:1 2@1:1+2 3@2:1",
    "4@3:1…",
  ],
  [
    "on both sides of a proved boundary are taken once where they are equal, and prove nothing",
    "start 1/1 2/1 2/2 | proved 2/1 2/2 2/3 3/1",
    "1@1:1",
    "…2@1:1+2+3 3@2:1…",
  ],
  [
    "on both sides of an open boundary are not whole, wherever on their pages they stand",
    "start 1/1 2/1 3/1 | open 4/1 2/2 5/1",
    "1@1:1 2@1:1… 3@1:1…",
    "…4@2:1 …2@2:2 5@2:1…",
  ],
  [
    "on several pages begin on the first of them",
    "start 1/1 2/1 | proved 2/2 | proved 2/3 3/1",
    "1@1:1",
    "2@1:1+2+3 3@3:1…",
  ],
  [
    "on a page after an open boundary and the next one lack what was before",
    "open 1/2 | proved 1/3 2/1",
    "",
    "…1@1:2+3 2@2:1…",
  ],
  [
    "in two places of a page are joined, also where a part stands across a boundary",
    "start 1/1 2/1 1/2 | proved 3/1 2/2 4/1",
    "1@1:1+2",
    "3@2:1 2@1:1+2 4@2:1…",
  ],
])("records of one response %s", (_what, pages, ended, behind) => {
  let carry: Fragment[] = [];
  const fragments: Fragment[] = [];
  for (const [i, text] of pages.split(" | ").entries()) {
    const [boundary, ...records] = text.split(" ");
    const { runs = [] } = toPage(i + 1, { kind: "page", records: records.map(toRecord) }) ?? {};
    const next = join(carry, { page: i + 1, runs, boundary: boundary as Boundary });
    fragments.push(...next.fragments);
    carry = next.carry;
  }
  expect([shown(fragments), shown(carry)]).toEqual([ended, behind]);
});
