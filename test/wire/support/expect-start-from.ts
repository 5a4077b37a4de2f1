import { expect } from "vitest";
import type { Settings } from "../../../local/simulator/index.ts";
import { compareWithTruth } from "./compare-with-truth.ts";
import { beforeEachList, polledService } from "./polled-service.ts";

const day = 86_400_000;

/** From now on: of 600 old responses none from before the start, and each of 40 new ones. */
export async function expectFromNow(sortKey: Settings["sortKey"]): Promise<void> {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 600 }], settings: { sortKey } });
  const { simulator } = service;
  const completed: number[] = [];
  beforeEachList(simulator, (nth) => nth === 2 && completed.push(...simulator.complete(1, 40)));

  // What lies on no head page is found through the counts, by scans that go deeper from tick to tick.
  const ticks = sortKey === "hash" ? "60" : "2";
  const { events } = await service.poll({ "start-from": "now", ticks });

  const isNew = ({ responseId }: { responseId: number }): boolean => completed.includes(responseId);
  const truth = simulator.truth().filter(isNew);
  expect(truth).toHaveLength(40);
  // In a list in no order the newest page need not show the newest date: what is dated later goes out, too.
  const old = simulator.truth().filter((one) => !isNew(one));
  const newestFirst = old.toSorted((a, b) => b.completedAt - a.completedAt);
  const given = events.map(({ detail }) => detail.data).filter((data) => !isNew(data));
  const isInOrder = sortKey === "dateCompleted";
  expect(given.length).toBeLessThanOrEqual(isInOrder ? 0 : 30);
  const later = newestFirst.slice(0, given.length);
  expect(compareWithTruth(events, [...later, ...truth])).toEqual([]);
}

/** From a date on: exactly what completed on that day of the service or later. */
export async function expectFromDate(sortKey: Settings["sortKey"]): Promise<void> {
  const to = Date.now() - 3_600_000;
  const service = await polledService({
    surveys: [{ surveyId: 1, responses: 300, completedFrom: to - 20 * day, completedTo: to }],
    settings: { sortKey, zone: "Pacific/Auckland" },
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
}

function localDay(date: unknown): string {
  return String(date).slice(0, 10);
}
