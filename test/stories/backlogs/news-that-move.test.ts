import { expect, it } from "vitest";
import { goOn, slowWorld } from "../../support/slices.ts";
import { arrive, at, deliveredIds, range, recordsOf, SECOND, surveyOf } from "../../support/survey.ts";

const complete = (from: number, to: number) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 2 }));

// R5, R25
it("news above a backlog go out at the next tick also where the list moves while they are read", async () => {
  const world = slowWorld(complete(1, 5_000));
  await goOn(world, 3, { sliceTime: 4 * SECOND });
  // Two pages and a half of news.
  for (const response of complete(6_001, 6_125)) arrive(world, response);
  let looks = 0;
  world.before.push(({ operation, args }) => {
    if (operation !== "page" || args[2] !== "desc" || args[1] !== 3) return;
    looks += 1;
    if (looks !== 2) return;
    // One comes in below them, between two looks at the page where the backlog begins.
    const { records } = surveyOf(world);
    const place = records.findIndex((record) => (record as { responseId: number }).responseId === 6_001);
    records.splice(place, 0, ...complete(6_000, 6_000).flatMap(recordsOf));
  });
  await goOn(world, 1);
  expect(looks).toBeGreaterThanOrEqual(2);
  expect(deliveredIds(world)).toEqual(expect.arrayContaining(range(6_001, 6_125)));
});
