import { describe, expect, it } from "vitest";
import { goOn, slowWorld } from "../../support/slices.ts";
import { closedBooks } from "../../support/slow.ts";
import {
  arrive,
  complete,
  deliveredIds,
  MINUTE,
  pagesRead,
  range,
  runTick,
  SECOND,
  worldWith,
} from "../../support/survey.ts";

const REQUESTS = new Set(["surveys", "page", "response", "metrics", "metadata", "definition"]);

// R5, R25, R29: what a first import costs, in requests.
describe("a first import of 2,000 responses on 100 pages", () => {
  it("is done in one tick with 2.13 requests a response, and its end closes the books", async () => {
    const world = worldWith(complete(1, 2_000, 5));
    await runTick(world);
    expect(deliveredIds(world)).toEqual(range(1, 2_000));
    expect(closedBooks(world)).toMatchObject({ listed: 2_000, emitted: 2_000 });
    // Each page is read twice.
    expect(pagesRead(world).length).toBeLessThanOrEqual(2.2 * 100);
    const requests = world.calls.filter(({ operation }) => REQUESTS.has(operation)).length;
    expect(requests / 2_000).toBeLessThanOrEqual(2.13);
  });

  it("that takes several parts closes the books at its end as well, and reads on at full speed", async () => {
    const world = slowWorld(complete(1, 2_000, 5));
    let parts = 0;
    while (world.mark(1).books === undefined && parts < 20) {
      await goOn(world, 1, { sliceTime: 30 * SECOND });
      parts += 1;
    }
    expect(parts).toBeGreaterThan(1);
    expect(deliveredIds(world)).toEqual(range(1, 2_000));
    expect(closedBooks(world)).toMatchObject({ listed: 2_000, emitted: 2_000 });
    expect(pagesRead(world).length).toBeLessThanOrEqual(2.2 * 100 + 6 * parts);
  });
});

// R23: the head leaves at `headPages`.
it("100 pages of news cost three reads a page, and what was read before is not read again", async () => {
  const world = worldWith(complete(1, 2_000, 5));
  await runTick(world);
  for (const response of complete(2_001, 4_000, 5)) arrive(world, response);
  world.calls.length = 0;
  world.time.now += MINUTE;
  await runTick(world);
  expect(deliveredIds(world).slice(2_000)).toEqual(range(2_001, 4_000));
  expect(pagesRead(world).length).toBeLessThanOrEqual(303);
});
