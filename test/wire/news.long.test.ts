import { expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

/**
 * Two for each event's metrics and metadata, 0.4 for pages; 4 for each tick's list, head and background; 4 once. A fifth of
 * that comes on top for slow work, and what its last slice may take too much.
 */
const most = (events: number, ticks: number): number => 1.2 * (2.4 * events + 4 * ticks + 4) + 3;

test("10 new responses before each of 4 runs over 2,000 old ones cost no more than their own requests", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 2_000 }] });
  const { simulator } = service;
  expect((await service.poll({ "start-from": "now" })).events).toEqual([]);
  simulator.resetCounters();
  const completed: number[] = [];

  for (let tick = 1; tick <= 4; tick += 1) {
    completed.push(...simulator.complete(1, 10));
    const { events } = await service.poll({ "start-from": "now" });
    expect(events).toHaveLength(10 * tick);
    const truth = simulator.truth().filter(({ responseId }) => completed.includes(responseId));
    expect(compareWithTruth(events, truth)).toEqual([]);
  }

  // On a busy machine there is a tick more, where the time of one is up.
  const { requests = 0, token = 0, surveys = 0 } = simulator.counters();
  expect(surveys).toBeGreaterThanOrEqual(4);
  expect(requests).toBeLessThanOrEqual(most(40, surveys));
  expect(token).toBe(0);
});
