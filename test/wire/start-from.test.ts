import { expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { beforeEachList, polledService } from "./support/polled-service.ts";

const day = 86_400_000;

test("from now: of 600 old responses none, and each of 40 new ones", async () => {
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 600 }],
    settings: { sortKey: "dateCompleted" },
  });
  const { simulator } = service;
  const completed: number[] = [];
  beforeEachList(simulator, (nth) => nth === 2 && completed.push(...simulator.complete(1, 40)));

  const { events } = await service.poll({ "start-from": "now", ticks: "2" });

  const truth = simulator.truth().filter(({ responseId }) => completed.includes(responseId));
  expect(truth).toHaveLength(40);
  expect(compareWithTruth(events, truth)).toEqual([]);
});

test("from a date: exactly what completed on that day of the service or later", async () => {
  const to = Date.now() - 3_600_000;
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 300, completedFrom: to - 20 * day, completedTo: to }],
    settings: { sortKey: "dateCompleted", zone: "Pacific/Auckland" },
  });
  const { simulator } = service;
  const days = simulator.truth().map(({ records }) => localDay(records[0]?.dateCompleted));
  const date = days.toSorted()[150] ?? "";
  const truth = simulator.truth().filter(({ records }) => localDay(records[0]?.dateCompleted) >= date);
  // Auckland is half a day ahead: the same date in UTC would give other responses.
  const inUtc = simulator.truth().filter(({ completedAt }) => new Date(completedAt).toISOString().slice(0, 10) >= date);
  expect(truth.length).toBeGreaterThan(inUtc.length);

  const { events } = await service.poll({ "start-from": date });

  expect(compareWithTruth(events, truth)).toEqual([]);
});

function localDay(date: unknown): string {
  return String(date).slice(0, 10);
}
