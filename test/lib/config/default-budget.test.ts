import { expect, it } from "vitest";
import { defaultSource } from "../../bench/support/default-source.ts";
import { memoryWorld } from "../../support/memory-ports.ts";
import { addSurvey, at, HOUR, MINUTE, noon, range, runTick } from "../../support/survey.ts";

const source = defaultSource({ startFrom: "beginning" });
const SURVEYS = 100;
const HOURS = 2;

it("by default a hundred surveys whose counts stand still are each read within the time that docs/internals/lateness.md tells", async () => {
  const world = memoryWorld(noon);
  for (const surveyId of range(1, SURVEYS)) {
    const responses = range(1, 4).map((i) => ({ responseId: surveyId * 10 + i, completed: at(-i * HOUR), size: 5 }));
    addSurvey(world, surveyId, responses);
  }
  const headReadAt = new Map<unknown, number>();
  const gaps: number[] = [];
  world.before.push(({ operation, args: [surveyId, page, order] }) => {
    if (operation !== "page" || page !== 1 || order !== "desc") return;
    const last = headReadAt.get(surveyId);
    if (last !== undefined && world.time.now > last) gaps.push(world.time.now - last);
    headReadAt.set(surveyId, world.time.now);
  });
  const tickUntil = async (end: number): Promise<void> => {
    for (; world.time.now < end; world.time.now += MINUTE) await runTick(world, { source });
  };

  // The first hour is that of the beginning.
  await tickUntil(noon + HOUR);
  gaps.length = 0;
  world.calls.length = 0;
  await tickUntil(noon + (1 + HOURS) * HOUR);

  expect(gaps.length).toBeGreaterThanOrEqual(7 * SURVEYS);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(20 * MINUTE);
  // The heads each quarter of an hour, and little else.
  const requests = world.calls.filter(({ port, operation }) => port === "service" && operation !== "surveys").length;
  expect(requests / HOURS).toBeLessThan(500);
});
