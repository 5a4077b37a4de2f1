import { expect, it } from "vitest";
import { slowWork } from "../../../bench/cost/case.ts";
import { gapsBetweenHeads, idleRun } from "../../../bench/polling/cadences.ts";
import { defaultSource, HOUR, MINUTE } from "../../../bench/polling/source.ts";

const { backgroundRequests } = defaultSource();

it("by default a hundred surveys whose counts stand still are each read within the time that docs/lateness.md tells", async () => {
  const { run, from, perHour } = await idleRun(100, 1, backgroundRequests, HOUR, 2 * HOUR);
  const gaps = gapsBetweenHeads(run, from);
  expect(gaps.length).toBeGreaterThanOrEqual(700);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(20 * MINUTE);
  // The heads each quarter of an hour, and little else.
  expect(perHour).toBeLessThan(500);
});

it("the slow work of an account is as late as its surveys want more than the budget gives", () => {
  const given = backgroundRequests * 60;
  expect(slowWork(100, 11.6)).toEqual({ requests: 1_160, stretch: 1 });
  expect(slowWork(10_000, 4)).toEqual({ requests: given, stretch: 40_000 / given });
});
