import { expect, test } from "vitest";
import type { Simulator } from "../../local/simulator/index.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

const surveys = [
  { surveyId: 1, responses: 280 },
  { surveyId: 2, responses: 140 },
  { surveyId: 3, responses: 80 },
];

test("500 responses that were there before go out once each, within the bound of requests, and never again", async () => {
  const service = await polledService({ surveys, settings: { sortKey: "dateStart" } });
  const { simulator } = service;
  const truth = simulator.truth();

  // Its share of a minute is time enough for one tick to do all of it by itself.
  const first = await service.poll({ "start-from": "beginning", interval: "1m" });

  expect(first.events).toHaveLength(500);
  expect(compareWithTruth(first.events, truth)).toEqual([]);
  expect(first.stdout).toMatch(/^done: 1 ticks in .* 500 events,/m);
  expect(first.stdout.match(/books: closed at/g)).toHaveLength(3);
  const requests = simulator.counters();
  // A first pass looks once more whether the survey is still there, on its first page. What is read ahead may be in vain at the end.
  const readAhead = Math.ceil(pages(simulator) / 6);
  expect(requests.requests).toBeLessThanOrEqual(2 * 500 + 2 * pages(simulator) + readAhead + 25 * 3 + 3 + 2);
  expect(requests.token).toBe(1);

  simulator.resetCounters();
  const second = await service.poll({ "start-from": "beginning", ticks: "3" });

  // The file is appended to: still the events of the first run alone.
  expect(second.events).toEqual(first.events);
  const again = simulator.counters();
  expect(again.surveys).toBe(3);
  expect(again.requests).toBeLessThanOrEqual(3 + 3);
  expect(again.token ?? 0).toBe(0);
});

function pages(simulator: Simulator): number {
  return surveys
    .map(({ surveyId }) => simulator.truth(surveyId).reduce((sum, { records }) => sum + records.length, 0))
    .reduce((sum, records) => sum + Math.ceil(records / 100), 0);
}
