import { expect, test } from "vitest";
import { runDemoLife } from "../../../../lib/local/simulator/index.ts";
import { simulate } from "./support.ts";

test("a response completes within two seconds, and life ends with the signal", async () => {
  const { simulator } = await simulate();
  const stop = new AbortController();
  const life = runDemoLife(simulator, { signal: stop.signal, seed: 3 });
  const surveyIds = simulator.surveyIds();
  expect(surveyIds.length).toBeGreaterThan(1);
  const completed = () => surveyIds.reduce((sum, surveyId) => sum + simulator.tally(surveyId).completed, 0);
  const before = completed();
  const started = performance.now();
  while (completed() === before && performance.now() - started < 5000)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(completed()).toBe(before + 1);
  stop.abort();
  await life;
  expect(completed()).toBe(before + 1);
});
