import { describe, expect, test } from "vitest";
import { type CountRule, type SettingsPatch, startSimulator } from "../../../../lib/local/simulator/index.ts";
import { at, noon, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

describe("settings", () => {
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

  test("parts of counts and recordOrder leave the other parts", async () => {
    const { simulator } = await simulate({ settings: { counts: { correct: "started" } } });
    simulator.set({ recordOrder: { desc: "descending" } });
    expect(simulator.settings()).toMatchObject({
      counts: { responses: "completed", correct: "started" },
      recordOrder: { asc: "ascending", desc: "descending" },
    });
  });
});

describe("counts", () => {
  async function counted(rule: CountRule) {
    let now = noon;
    const settings: SettingsPatch = { counts: { responses: rule, unpaidResponses: "completed" } };
    const client = await simulate({ surveys, settings: { ...settings, countLagMs: 60_000 }, now: () => now });
    const { simulator } = client;
    const item = async () => at(await client.json("/api/v3/surveys/"), 0);
    const seen = [(await item()).responses];
    simulator.complete(7, 3);
    simulator.start(7, 1);
    seen.push((await item()).responses);
    simulator.remove(7, at(simulator.truth(7), 0).responseId);
    seen.push((await item()).responses);
    now += 60_000;
    seen.push((await item()).responses);
    expect(await item()).toMatchObject({ correct: 22, unpaidResponses: 22 });
    return seen;
  }

  test.each<[CountRule, number[]]>([
    ["completed", [20, 23, 22, 22]],
    ["started", [24, 28, 27, 27]],
    ["lagging", [20, 20, 20, 22]],
    ["frozen", [20, 20, 20, 20]],
    ["zero", [0, 0, 0, 0]],
    [({ completed, open }) => completed * 100 + open, [2004, 2305, 2205, 2205]],
  ])("%s", async (rule, expected) => {
    expect(await counted(rule)).toEqual(expected);
  });

  test("a count freezes at the moment it is set; a survey added later at its first", async () => {
    const client = await simulate({ surveys });
    client.simulator.complete(7, 5);
    client.simulator.set({ counts: { responses: "frozen" } });
    client.simulator.addSurvey({ surveyId: 8, responses: 2 });
    client.simulator.complete(7, 5);
    client.simulator.complete(8, 5);
    expect((await client.json("/api/v3/surveys/")).map((item) => item.responses)).toEqual([25, 2]);
  });
});
