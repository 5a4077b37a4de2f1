import { describe, expect, it } from "vitest";
import { type Boundary, type Fragment, isWhole, join } from "../../../../lib/polling/walk/whole.ts";
import { pageOf } from "./pages-of.ts";

/** Joins pages one after the other; gives what has ended by each of them, and what may go on behind the last. */
function joined(...steps: [Boundary, ...string[]][]): { fragments: Fragment[]; carry: Fragment[] } {
  let carry: Fragment[] = [];
  const fragments: Fragment[] = [];
  for (const [i, [boundary, ...records]] of steps.entries()) {
    const next = join(carry, { page: i + 1, runs: pageOf(i + 1, ...records).runs, boundary });
    fragments.push(...next.fragments);
    carry = next.carry;
  }
  return { fragments, carry };
}

/** Id, page, questions, and what of it is missing. */
const shown = (fragments: readonly Fragment[]): string[] =>
  fragments.map(({ responseId, page, records, begins, ends }) => {
    const questions = records.map(({ raw }) => (raw as { questionId: number }).questionId).join("+");
    return `${begins ? "" : "…"}${responseId}@${page}:${questions}${ends ? "" : "…"}`;
  });

// R4, R6
describe("records of one response", () => {
  it("strictly inside a page are whole by it; the first one of the list begins there", () => {
    const { carry } = joined(["start", "1/1", "1/2", "2/1", "3/1"]);
    expect(shown(carry)).toEqual(["1@1:1+2", "2@1:1", "3@1:1…"]);
  });

  it("across a proved boundary are joined, and what the next page does not go on with has ended", () => {
    const { fragments, carry } = joined(["start", "1/1", "2/1"], ["proved", "2/2", "3/1"], ["proved", "4/1"]);
    expect(shown(fragments)).toEqual(["1@1:1", "2@1:1+2", "3@2:1"]);
    expect(fragments.every(isWhole)).toBe(true);
    expect(shown(carry)).toEqual(["4@3:1…"]);
  });

  it("on both sides of a proved boundary are taken once where they are equal, and prove nothing", () => {
    const { fragments } = joined(
      ["start", "1/1", "2/1", "2/2"],
      ["proved", "2/1", "2/2", "2/3", "3/1"],
      ["proved", "4/1"],
    );
    expect(shown(fragments)).toEqual(["1@1:1", "…2@1:1+2+3", "3@2:1"]);
  });

  it("across an open boundary are two parts, neither of them whole", () => {
    const { fragments, carry } = joined(["start", "1/1", "2/1"], ["open", "2/2", "3/1"]);
    expect(shown(fragments)).toEqual(["1@1:1", "2@1:1…"]);
    expect(shown(carry)).toEqual(["…2@2:2", "3@2:1…"]);
  });

  it("on both sides of an open boundary are not whole, wherever on their pages they stand", () => {
    const { fragments, carry } = joined(["start", "1/1", "2/1", "3/1"], ["open", "4/1", "2/2", "5/1"]);
    expect(shown(fragments)).toEqual(["1@1:1", "2@1:1…", "3@1:1…"]);
    expect(shown(carry)).toEqual(["…4@2:1", "…2@2:2", "5@2:1…"]);
  });

  it("at the end of a page before an open boundary may go on, though the next page shows nothing of them", () => {
    const { fragments } = joined(["start", "1/1", "2/1"], ["open", "3/1", "4/1"]);
    expect(shown(fragments)).toEqual(["1@1:1", "2@1:1…"]);
  });

  it("on several pages begin on the first of them", () => {
    const { fragments } = joined(
      ["start", "1/1", "2/1"],
      ["proved", "2/2"],
      ["proved", "2/3", "3/1"],
      ["proved", "4/1"],
    );
    expect(shown(fragments)).toEqual(["1@1:1", "2@1:1+2+3", "3@3:1"]);
  });

  it("on a page after an open boundary and the next one lack what was before", () => {
    const { fragments } = joined(["open", "1/2"], ["proved", "1/3", "2/1"], ["proved", "3/1"]);
    expect(shown(fragments)).toEqual(["…1@1:2+3", "2@2:1"]);
  });

  it("in two places of a page are joined, also where a part stands across a boundary", () => {
    const { fragments } = joined(["start", "1/1", "2/1", "1/2"], ["proved", "3/1", "2/2", "4/1"], ["proved", "5/1"]);
    expect(shown(fragments)).toEqual(["1@1:1+2", "3@2:1", "2@1:1+2", "4@2:1"]);
    expect(shown(joined(["open", "1/1", "2/1", "1/2", "3/1"]).carry)).toEqual(["…1@1:1+2", "2@1:1", "3@1:1…"]);
  });

  it("that turn on their pages are joined across a proved boundary, wherever they stand", () => {
    const { fragments } = joined(["start", "2/1", "1/1", "3/1"], ["proved", "4/1", "2/2"], ["proved", "5/1"]);
    expect(shown(fragments)).toEqual(["1@1:1", "3@1:1", "4@2:1", "2@1:1+2"]);
    expect(fragments.every(isWhole)).toBe(true);
  });
});
