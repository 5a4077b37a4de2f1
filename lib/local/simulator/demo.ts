import { pause } from "../pause.ts";
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

  for (let first = true; ; first = false) {
    await pause(first ? between(800, 1500) : between(300, 3000), signal);
    if (signal.aborted) return;
    const surveyIds = simulator.surveyIds();
    const surveyId = surveyIds[Math.floor(random() * surveyIds.length)];
    if (surveyId === undefined) continue;
    const kind = first ? 0 : random();
    const open = simulator.openIds(surveyId);
    const responseId = open[Math.floor(random() * open.length)];
    if (kind < 0.6) simulator.complete(surveyId);
    else if (kind < 0.85 || responseId === undefined) simulator.start(surveyId);
    else simulator.finish(surveyId, responseId);
  }
}
