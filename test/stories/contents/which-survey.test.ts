import { expect, it } from "vitest";
import { slice, slowWorld } from "../../support/slices.ts";
import { arrive, at, MINUTE, range, runTick, SECOND, surveyOf, tickAlone, worldWith } from "../../support/survey.ts";

const visit = { name: "After a visit", modified: "2026-03-01 10:00:00", languageId: 23 };

it("an event says which survey it is from, in the words of the list of its tick", async () => {
  const world = worldWith([], { facts: visit });
  await runTick(world);
  arrive(world, { responseId: 1, completed: at(0) });
  world.time.now += MINUTE;
  await runTick(world);
  surveyOf(world).facts = { ...visit, name: "After a stay" };
  arrive(world, { responseId: 2, completed: at(MINUTE) });
  world.time.now += MINUTE;
  await runTick(world);
  expect(world.delivered.map(({ data }) => data.survey)).toEqual([visit, { ...visit, name: "After a stay" }]);
});

it("a response that waited, and one of a tick without a list, go out with what was known last", async () => {
  const world = worldWith([], { facts: visit });
  await runTick(world);
  arrive(world, { responseId: 1, completed: at(0) });
  surveyOf(world).metrics.set(1, { kind: "absent" });
  world.time.now += MINUTE;
  await runTick(world);
  expect(world.delivered).toEqual([]);
  world.before.push(({ operation }) => {
    if (operation === "surveys") throw new Error("no list");
  });
  world.time.now += 5 * MINUTE;
  await expect(runTick(world)).rejects.toThrow("no list");
  expect(world.delivered.map(({ data }) => data.survey)).toEqual([visit]);
});

it("so do those of a backlog, which no tick finds", async () => {
  const world = slowWorld(
    range(1, 200).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  surveyOf(world).facts = visit;
  await tickAlone(world, { ownTime: 0 });
  expect(world.delivered.length).toBeLessThan(100);
  await slice(world);
  expect(world.delivered).toHaveLength(200);
  expect(new Set(world.delivered.map(({ data }) => data.survey?.name))).toEqual(new Set([visit.name]));
});

it("a list that does not say it is no reason to wait", async () => {
  const world = worldWith([{ responseId: 1, completed: at(0) }], { facts: { name: 7, languageId: "23" } });
  await runTick(world);
  expect(world.delivered.map(({ data }) => data.survey)).toEqual([{ name: null, modified: null, languageId: null }]);
});
