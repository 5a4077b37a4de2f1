import { describe, expect, it } from "vitest";
import { createListEnd, type ShortPageEnds } from "../../../../lib/polling/walk/list-end.ts";
import { movingList } from "../../../support/moving-list.ts";
import { pageOf, readOf, whole } from "./pages-of.ts";
import { walkAll } from "./walk-all.ts";

const full = (number: number, id = number) => pageOf(number, ...whole(id, 100));
const short = (number: number, id = number) => pageOf(number, ...whole(id, 99));

// R8, A6
describe("a page of fewer than 100 records", () => {
  const learned = (known: ShortPageEnds, ...pages: ("full" | "short" | "none")[]): ShortPageEnds => {
    const end = createListEnd(known);
    const looks = pages.map((kind, i) => (kind === "none" ? undefined : kind === "full" ? full(i + 1) : short(i + 1)));
    for (const [i, page] of looks.entries()) end.met(looks[i - 1], page);
    return end.shortPageEnds();
  };

  it.each<[ShortPageEnds, ("full" | "short" | "none")[], ShortPageEnds]>([
    [undefined, ["full", "full", "none"], undefined],
    [undefined, ["full", "short", "none"], true],
    [undefined, ["short", "full"], false],
    [true, ["short", "full"], false],
    [false, ["full", "short", "none"], false],
    [undefined, ["short", "short", "none"], false],
    [true, ["full", "none"], true],
  ])("known before as the last one: %s; pages %j: %s", (known, pages, then) => {
    expect(learned(known, ...pages)).toBe(then);
  });

  it("ends the list only where that was learned", () => {
    for (const known of [undefined, false] as const) expect(createListEnd(known).isLast(short(3))).toBe(false);
    expect(createListEnd(true).isLast(short(3))).toBe(true);
    expect(createListEnd(true).isLast(full(3))).toBe(false);
  });
});

// R8
describe("a page that shows again what another has shown", () => {
  it("repeats the page before it, or page 1", () => {
    const end = createListEnd(undefined);
    end.met(undefined, full(1));
    expect(end.repeats(full(3, 2), full(2))).toBe(true);
    expect(end.repeats(full(3, 1), full(2))).toBe(true);
    expect(end.repeats(full(3), full(2))).toBe(false);
  });

  it("repeats nothing where that was no neighbour, where page 1 was not read, and as page 1 itself", () => {
    const end = createListEnd(undefined);
    expect(end.repeats(full(3, 1), full(1))).toBe(false);
    expect(end.repeats(full(3, 1), full(2))).toBe(false);
    end.met(undefined, full(1));
    expect(end.repeats(full(1), undefined)).toBe(false);
  });

  it("is told by what it holds, in whatever order", () => {
    const end = createListEnd(undefined);
    const page = pageOf(2, "1/1", "1/2", "2/1");
    expect(end.repeats(pageOf(3, "2/1", "1/2", "1/1"), page)).toBe(true);
    expect(end.repeats(pageOf(3, "2/1", "1/2", "1/1/7"), page)).toBe(false);
  });
});

describe("a walk to the end", () => {
  const list = [1, 2, 3, 4, 5].map((id) => ({ id, size: 50, verdict: "whole" as const }));
  const of = (ids: number[], size = 50) => readOf(...ids.flatMap((id) => whole(id, size)));

  // R5, R8
  it("behind a gap ends the list, and makes nothing whole that stands before the gap", async () => {
    // Page 2, of which response 2 has its end, is another one at each look; page 3 is none.
    let looks = 0;
    const still = movingList(list.slice(0, 3), new Map(), { order: "asc", pastEnd: "empty" });
    const {
      whole: given,
      cut,
      end,
    } = await walkAll(still, {
      proves: "coverage",
      read: async (page) => {
        if (page === 1) return of([1, 2]);
        looks += 1;
        return page === 2 ? readOf(...whole(2, 10, 51), ...whole(3, 50), `4/1/${looks}`) : { kind: "none" };
      },
    });
    expect(given.map(({ responseId }) => responseId)).toEqual([1, 3]);
    expect(cut.map(({ responseId }) => responseId)).toContain(2);
    expect(cut.map(({ responseId }) => responseId)).toContain(4);
    expect(end).toMatchObject({ kind: "end", covered: false, moved: true });
  });

  // R9
  it.each(["contents", "coverage"] as const)(
    "that fails at each second look has failed: it proves nothing; proves %s",
    async (proves) => {
      let looks = 0;
      const still = movingList(list.slice(0, 3), new Map(), { order: "asc", pastEnd: "empty" });
      const {
        whole: given,
        cut,
        end,
      } = await walkAll(still, {
        proves,
        read: async (page) => {
          if (page === 1) return of([1, 2]);
          if (page > 2) return { kind: "none" };
          looks += 1;
          if (looks % 2 === 0) throw Object.assign(new Error("no page"), { code: "SERVER_ERROR" });
          return of([3]);
        },
      });
      expect(end).toMatchObject({ kind: "failed" });
      expect(given.map(({ responseId }) => responseId)).toEqual(expect.arrayContaining([1]));
      expect([...given, ...cut].every(({ records }) => records.length === 50)).toBe(true);
      expect(looks).toBeLessThan(60);
    },
  );

  it("that is there at one look and none at the next is none that anything is made of", async () => {
    let looks = 0;
    const still = movingList(list.slice(0, 3), new Map(), { order: "asc", pastEnd: "empty" });
    const { cut, end } = await walkAll(still, {
      proves: "coverage",
      read: async (page) => {
        if (page === 1) return of([1, 2]);
        if (page > 2) return { kind: "none" };
        looks += 1;
        return looks % 2 === 1 ? of([3]) : { kind: "none" };
      },
    });
    expect(end.kind).toBe("failed");
    expect(cut.map(({ responseId }) => responseId)).toContain(2);
  });
});
