import { expect, test } from "vitest";
import type { Settings } from "../../../local/simulator/index.ts";
import { createResponseList } from "../../../local/simulator/response-list.ts";
import { createPopulation } from "../../../local/simulator/responses.ts";
import { at, distinct, noon, simulate } from "./support.ts";

const million = 1_000_000;

test("a page of a million responses builds no more records than one of a hundred", async () => {
  const surveys = [
    { surveyId: 1, responses: 100 },
    { surveyId: 2, responses: million },
  ];
  const client = await simulate({ surveys });
  const cost = async (surveyId: number, page: number, order: "asc" | "desc") => {
    client.simulator.resetCounters();
    expect(await client.page(surveyId, page, order)).toHaveLength(100);
    return client.simulator.counters().records;
  };
  expect(await cost(1, 2, "asc")).toBe(100);
  for (const page of [1, 2, 777, 40_000]) {
    expect(await cost(2, page, "asc")).toBe(100);
    expect(await cost(2, page, "desc")).toBe(100);
  }

  // The two orders meet at the same place, deep in the middle.
  const newest = at(await client.page(2, 1, "desc"), 0).responseId;
  const [added] = client.simulator.complete(2);
  expect(distinct(await client.page(2, 1, "desc"), "responseId").slice(0, 2)).toEqual([added, newest]);
  expect(client.simulator.truthOf(2, Number(newest))?.records.length).toBeGreaterThan(0);
});

test.each<Settings["layout"]>(["contiguous", "interleaved", "scattered"])(
  "%s: a page looks up as many responses of ten thousand as of a hundred",
  (layout) => {
    const lookups = [100, 10_000].map((responses) => {
      let found = 0;
      const content = { recordsPerResponse: 5, commentBytes: null, repeatedQuestions: 0, crk: "none" } as const;
      const population = createPopulation({
        seed: 1,
        firstId: 1000,
        responses,
        open: 0,
        completedFrom: noon - 86_400_000,
        completedTo: noon,
        content,
      });
      const counting = {
        ...population,
        find: (responseId: number) => {
          found += 1;
          return population.find(responseId);
        },
      };
      const settings = { sortKey: "dateCompleted", layout, openListed: false, openDateCompleted: null, zone: "UTC" };
      const list = createResponseList({
        seed: 1,
        questions: 5,
        population: counting,
        settings: settings as Settings,
      });
      found = 0;
      expect([...list.read(200, 100, "desc", "ascending")]).toHaveLength(100);
      return found;
    });
    expect(lookups[1]).toBe(lookups[0]);
  },
);
