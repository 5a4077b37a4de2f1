import { expect, it } from "vitest";
import { begin } from "../../../../lib/polling/walk/course.ts";
import { inDoubt } from "../../../../lib/polling/walk/second-look.ts";

// R5
it("where all seams are proved each page is read again before it is given out: the last one with the next round, or where the walk is over", () => {
  const looks = [1, 2, 3].map((number) => ({ number, ends: false }));
  const course = { ...begin(1), held: looks };
  const numbersOf = (isOver: boolean) => inDoubt(course, "coverage", () => false, isOver).map(({ number }) => number);
  expect(numbersOf(false)).toEqual([1, 2]);
  expect(numbersOf(true)).toEqual([1, 2, 3]);
});
