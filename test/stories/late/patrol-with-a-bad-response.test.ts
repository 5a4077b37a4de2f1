import { expect, it } from "vitest";
import {
  at,
  HOUR,
  MINUTE,
  noon,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
it("a level of the patrol ends at its depth, whatever it had to leave", async () => {
  const source = { backgroundRequests: 10, fullPoll: { every: never }, patrol: { every: HOUR, full: 2 * HOUR } };
  const world = worldWith(
    range(1, 5_000).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  // One level alone, of four pages; no full passes.
  const only = { ...source, patrol: { every: HOUR, full: HOUR * 2 } };
  await runTick(world, { source: only });
  const mark = world.mark(1);
  mark.nextPass = noon + never;
  world.bus.decide = ({ data }) =>
    data.responseId === 900_000 ? { kind: "failed", code: "InternalFailure" } : undefined;
  // On page 3.
  surveyOf(world).records.splice(49_750, 0, ...recordsOf({ responseId: 900_000, completed: at(-HOUR), size: 10 }));
  world.time.now += HOUR + MINUTE;
  const reads: number[] = [];
  let deepest = 0;
  for (let i = 0; i < 50; i += 1) {
    world.calls.length = 0;
    await runTick(world, { source: only });
    reads.push(pagesRead(world).filter((page) => page.startsWith("desc")).length);
    for (const page of pagesRead(world))
      if (page.startsWith("desc")) deepest = Math.max(deepest, Number(page.slice(5)));
    world.time.now += MINUTE;
  }
  expect(reads.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(60);
});
