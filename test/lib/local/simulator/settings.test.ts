import { expect, test } from "vitest";
import { type CountRule, type SettingsPatch, startSimulator } from "../../../../lib/local/simulator/index.ts";
import { at, noon, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

test.each([
  [{ zone: "Mars/Base" }, /time zone/],
  [{ recordsPerResponse: 0 }, /recordsPerResponse/],
  [{ recordsPerResponse: [9, 3] }, /recordsPerResponse/],
  [{ sortKey: "date" }, /sortKey must be one of/],
  [{ sorting: "date" }, /no setting sorting/],
])("%j is refused, and nothing changes", async (patch, message) => {
  await expect(startSimulator({ settings: patch as SettingsPatch })).rejects.toThrow(message);
  const { simulator } = await simulate();
  const before = simulator.settings();
  expect(() => simulator.set(patch as SettingsPatch)).toThrow(message);
  expect(simulator.settings()).toBe(before);
});

test.each<[CountRule, number[]]>([
  ["completed", [20, 23, 22, 22]],
  ["started", [24, 28, 27, 27]],
  ["lagging", [20, 20, 20, 22]],
  ["frozen", [20, 20, 20, 20]],
  ["zero", [0, 0, 0, 0]],
  [({ completed, open }) => completed * 100 + open, [2004, 2305, 2205, 2205]],
])("count %s", async (responses, expected) => {
  let now = noon;
  const settings: SettingsPatch = { counts: { unpaidResponses: "completed" }, countLagMs: 60_000 };
  const { simulator, json } = await simulate({ surveys, settings, now: () => now });
  simulator.set({ counts: { responses } });
  const item = async () => at(await json("/api/v3/surveys/"), 0);
  const seen = [(await item()).responses];
  simulator.complete(7, 3);
  simulator.start(7, 1);
  seen.push((await item()).responses);
  simulator.remove(7, at(simulator.truth(7), 0).responseId);
  seen.push((await item()).responses);
  now += 60_000;
  seen.push((await item()).responses);
  expect(seen).toEqual(expected);
  expect(await item()).toMatchObject({ correct: 22, unpaidResponses: 22 });
});
