import { describe, expect, it } from "vitest";
import { type Carry, close, isWhole, join, type Piece, type Seam } from "../../../../lib/polling/walk/join.ts";
import { pageOf } from "./pages-of.ts";

/** Joins pages one after the other; gives what has ended by each of them, and what may go on behind the last. */
function joined(...steps: [Seam, ...string[]][]): { pieces: Piece[]; carry: Carry } {
  let carry: Carry = [];
  const pieces: Piece[] = [];
  for (const [i, [seam, ...records]] of steps.entries()) {
    const next = join(carry, { page: i + 1, runs: pageOf(i + 1, ...records).runs, seam });
    pieces.push(...next.pieces);
    carry = next.carry;
  }
  return { pieces, carry };
}

/** Id, page, questions, and what of it is missing. */
const shown = (pieces: readonly Piece[]): string[] =>
  pieces.map(({ responseId, page, records, begins, ends, apart }) => {
    const questions = records.map(({ raw }) => (raw as { questionId: number }).questionId).join("+");
    return `${begins ? "" : "…"}${responseId}@${page}:${questions}${ends ? "" : "…"}${apart ? " apart" : ""}`;
  });

// R4, R6
describe("records of one response", () => {
  it("strictly inside a page are whole by it; the first one of the list begins there", () => {
    const { carry } = joined(["start", "1/1", "1/2", "2/1", "3/1"]);
    expect(shown(carry)).toEqual(["1@1:1+2", "2@1:1", "3@1:1…"]);
  });

  it("across a proved seam are joined, and what the next page does not go on with has ended", () => {
    const { pieces, carry } = joined(["start", "1/1", "2/1"], ["proved", "2/2", "3/1"], ["proved", "4/1"]);
    expect(shown(pieces)).toEqual(["1@1:1", "2@1:1+2", "3@2:1"]);
    expect(pieces.every(isWhole)).toBe(true);
    expect(shown(carry)).toEqual(["4@3:1…"]);
  });

  it("on both sides of a proved seam are taken once where they are equal, and prove nothing", () => {
    const { pieces } = joined(
      ["start", "1/1", "2/1", "2/2"],
      ["proved", "2/1", "2/2", "2/3", "3/1"],
      ["proved", "4/1"],
    );
    expect(shown(pieces)).toEqual(["1@1:1", "…2@1:1+2+3", "3@2:1"]);
  });

  it("across an open seam are two parts, neither of them whole", () => {
    const { pieces, carry } = joined(["start", "1/1", "2/1"], ["open", "2/2", "3/1"]);
    expect(shown(pieces)).toEqual(["1@1:1", "2@1:1…"]);
    expect(shown(carry)).toEqual(["…2@2:2", "3@2:1…"]);
  });

  it("on both sides of an open seam are not whole, wherever on their pages they stand", () => {
    const { pieces, carry } = joined(["start", "1/1", "2/1", "3/1"], ["open", "4/1", "2/2", "5/1"]);
    expect(shown(pieces)).toEqual(["1@1:1", "2@1:1…", "3@1:1…"]);
    expect(shown(carry)).toEqual(["…4@2:1", "…2@2:2", "5@2:1…"]);
  });

  it("at the end of a page before an open seam may go on, though the next page shows nothing of them", () => {
    const { pieces } = joined(["start", "1/1", "2/1"], ["open", "3/1", "4/1"]);
    expect(shown(pieces)).toEqual(["1@1:1", "2@1:1…"]);
  });

  it("on several pages begin on the first of them", () => {
    const { pieces } = joined(["start", "1/1", "2/1"], ["proved", "2/2"], ["proved", "2/3", "3/1"], ["proved", "4/1"]);
    expect(shown(pieces)).toEqual(["1@1:1", "2@1:1+2+3", "3@3:1"]);
  });

  it("on a page after an open seam and the next one lack what was before", () => {
    const { pieces } = joined(["open", "1/2"], ["proved", "1/3", "2/1"], ["proved", "3/1"]);
    expect(shown(pieces)).toEqual(["…1@1:2+3", "2@2:1"]);
  });

  it("in two places of a page lie apart, also where a part stands across a seam", () => {
    const { pieces } = joined(["start", "1/1", "2/1", "1/2"], ["proved", "3/1", "2/2", "4/1"], ["proved", "5/1"]);
    expect(shown(pieces)).toEqual(["1@1:1+2 apart", "3@2:1", "2@1:1+2", "4@2:1"]);
    expect(shown(joined(["open", "1/1", "2/1", "1/2", "3/1"]).carry)).toEqual(["…1@1:1+2 apart", "2@1:1", "3@1:1…"]);
  });

  it("that turn on their pages are joined across a proved seam, wherever they stand", () => {
    const { pieces } = joined(["start", "2/1", "1/1", "3/1"], ["proved", "4/1", "2/2"], ["proved", "5/1"]);
    expect(shown(pieces)).toEqual(["1@1:1", "3@1:1", "4@2:1", "2@1:1+2"]);
    expect(pieces.every(isWhole)).toBe(true);
  });
});

// R6
describe("what the page read last has shown", () => {
  it("is whole where the list ends with it, and not where no more was read", () => {
    const { carry } = joined(["start", "1/1", "2/1"]);
    expect(shown(close(carry, true))).toEqual(["1@1:1", "2@1:1"]);
    expect(shown(close(carry, false))).toEqual(["1@1:1", "2@1:1…"]);
  });

  it("is not whole at the end of the list where its beginning was not read", () => {
    const { carry } = joined(["open", "1/2"]);
    expect(shown(close(carry, true))).toEqual(["…1@1:2"]);
  });
});
