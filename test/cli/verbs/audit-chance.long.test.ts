import { expect, it } from "vitest";
import { chanceToSee, drawPages } from "../../../cli/verbs/audit/sample.ts";
import { sample } from "../../../lib/operator/sample.ts";
import { operatorOf } from "../../support/operator.ts";
import { at, HOUR, range, runTick, worldWith } from "../../support/survey.ts";

const SEEDS = 200;

/** Bounds between which 99.9 % of as many trials lie, by the normal form of the binomial distribution. */
function bounds(chance: number): [number, number] {
  const width = 3.29 * Math.sqrt((chance * (1 - chance)) / SEEDS);
  return [chance - width, chance + width];
}

it.each([
  [1, 10],
  [1, 45],
  [3, 20],
  [10, 10],
])("sees one of %i planted gaps in a sample of %i percent as often as it says", async (missing, percent) => {
  // Twenty pages of ten responses each, in an order that knows nothing of the seed.
  const world = worldWith(
    range(1, 200).map((responseId) => ({ responseId, completed: at(-responseId * HOUR), size: 10 })),
  );
  await runTick(world);
  const held = new Set(range(1, 200));
  const { entries } = world.ports.state;
  const operator = operatorOf(world);
  let seen = 0;
  let read = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const gaps = new Set(Array.from({ length: missing }, (_, i) => 1 + ((seed * 7_919 + i * 104_729) % held.size)));
    world.ports.state.entries = async (surveyId, ids) => {
      const all = await entries(surveyId, ids);
      for (const id of gaps) all.delete(id);
      return all;
    };
    const { length: pages = 0 } = await sample.run(operator, { surveyId: 1, pages: [], hasBooks: true });
    expect(pages).toBe(20);
    const drawn = drawPages(pages, percent, seed);
    read = drawn.length;
    const { states } = await sample.run(operator, { surveyId: 1, pages: drawn, hasBooks: true });
    expect(states.missing?.every((id) => gaps.has(id)) ?? true).toBe(true);
    if (states.missing !== undefined) seen += 1;
  }
  const [low, high] = bounds(chanceToSee(missing, { read, pages: 20 }));
  expect(seen / SEEDS).toBeGreaterThan(low);
  expect(seen / SEEDS).toBeLessThan(high);
});

it("draws each page as often as any other, and no page twice", () => {
  const times = new Map<number, number>();
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const drawn = drawPages(10, 30, seed);
    expect(new Set(drawn).size).toBe(3);
    for (const page of drawn) times.set(page, (times.get(page) ?? 0) + 1);
  }
  for (const page of range(1, 10)) expect(Math.abs((times.get(page) ?? 0) - 600)).toBeLessThan(90);
});

it("is sure of nothing but what it has read as a whole", () => {
  expect(chanceToSee(1, { read: 20, pages: 20 })).toBe(1);
  expect(chanceToSee(1, { read: 1, pages: 20 })).toBeCloseTo(0.05);
  expect(chanceToSee(10, { read: 1, pages: 20 })).toBeCloseTo(0.401, 3);
  expect(chanceToSee(1, { read: 0, pages: 0 })).toBe(0);
});
