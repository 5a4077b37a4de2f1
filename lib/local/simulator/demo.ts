import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "./hashing.ts";
import type { Simulator } from "./simulator.ts";

const demoSurveys = [
  { surveyId: 101, name: "After the purchase", responses: 120, open: 3 },
  { surveyId: 102, name: "Support call", responses: 40, open: 1 },
  { surveyId: 103, name: "Employee pulse", responses: 8, open: 0 },
];

/**
 * A few surveys (unless there are some already) to which respondents keep coming, until `signal` aborts. The first
 * response completes within two seconds, later ones every few hundred milliseconds to few seconds.
 */
export async function runDemoLife(
  simulator: Simulator,
  options: { signal: AbortSignal; seed?: number },
): Promise<void> {
  const { signal, seed = 1 } = options;
  const random = createRandom(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  if (simulator.surveyIds().length === 0) for (const survey of demoSurveys) simulator.addSurvey(survey);

  let first = true;
  while (await rest(first ? between(800, 1500) : between(300, 3000), signal)) {
    const surveyIds = simulator.surveyIds();
    const surveyId = surveyIds[Math.floor(random() * surveyIds.length)];
    if (surveyId === undefined) continue;
    const kind = first ? 0 : random();
    if (kind < 0.6) simulator.complete(surveyId);
    else if (kind < 0.85) simulator.start(surveyId);
    else finishOne(simulator, surveyId, random);
    first = false;
  }
}

function finishOne(simulator: Simulator, surveyId: number, random: () => number): void {
  const open = simulator.openIds(surveyId);
  const responseId = open[Math.floor(random() * open.length)];
  if (responseId === undefined) simulator.start(surveyId);
  else simulator.finish(surveyId, responseId);
}

/** False once the signal has aborted. */
async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
