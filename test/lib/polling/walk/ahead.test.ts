import { describe, expect, it } from "vitest";
import type { PageRead } from "../../../../lib/polling/ports.ts";
import { walk } from "../../../../lib/polling/walk/walk.ts";
import { readOf, whole } from "./pages-of.ts";

/** Walks over a list that holds still. Gives how many pages were read for the first time together, round by round, and the furthest of them. */
async function roundsOf(pages: number, knownPages: number): Promise<{ rounds: number[]; furthest: number }> {
  const seen = new Set<number>();
  const rounds: number[] = [];
  let isFresh = true;
  const read = async (page: number): Promise<PageRead> => {
    if (!seen.has(page)) {
      if (isFresh) rounds.push(0);
      isFresh = false;
      seen.add(page);
      rounds.push((rounds.pop() ?? 0) + 1);
    }
    await new Promise((resolve) => setImmediate(resolve));
    isFresh = true;
    if (page > pages) return { kind: "none" };
    return readOf(...Array.from({ length: 50 }, (_, i) => whole(page * 100 + i, 2)).flat());
  };
  const steps = walk({
    from: 1,
    proves: "coverage",
    read,
    otherFirst: async () => ({ kind: "none" }),
    shortPageEnds: undefined,
    knownPages: () => knownPages,
    judge: async () => undefined,
    isNew: () => true,
    isMet: () => false,
  });
  while ((await steps.next()).done !== true);
  return { rounds, furthest: Math.max(...seen) };
}

// R5
describe("pages read at once", () => {
  it("are few at first where nobody knows how long the list is: most lists are short", async () => {
    const { rounds, furthest } = await roundsOf(10, 0);
    expect(rounds).toEqual(Array.from({ length: 11 }, () => 1));
    expect(furthest).toBe(11);
  });

  it("are soon as many as may be where the list is known to have them, and none behind its end is read for that", async () => {
    const { rounds, furthest } = await roundsOf(40, 40);
    expect(rounds.slice(0, 5)).toEqual([1, 2, 4, 8, 12]);
    expect(furthest).toBeLessThanOrEqual(40 + 6);
  });

  it("go a few pages beyond an end that has come nearer, and no further", async () => {
    const { furthest } = await roundsOf(5, 200);
    expect(furthest).toBeLessThanOrEqual(8);
  });
});
