import { setTimeout as sleep } from "node:timers/promises";
import { createSurveyApi, type LearnedRate } from "../../lib/survey-api/index.ts";
import { startSimulator } from "../../local/simulator/index.ts";
import { readDetails } from "./two-workers.ts";

// 500 responses with their metrics and metadata under a bucket of 100 requests/s and a burst of 50: how much longer than
// the ideal time it takes, and how many requests are refused, at first and with what earlier runs have learned.

const RESPONSES = 500;
const LIMIT = { perSecond: 100, burst: 50 };
const RUNS = Number(process.argv[2] ?? 3);

interface Result {
  seconds: number;
  requests: number;
  refused: number;
  /** Share of the last 80 % of the requests. */
  lateRefused: number;
  learned: LearnedRate | undefined;
}

async function run(form: "seconds" | "date" | "none", learned: LearnedRate | undefined): Promise<Result> {
  const simulator = await startSimulator({
    surveys: [{ surveyId: 7, responses: RESPONSES }],
    settings: { rateLimit: { ...LIMIT, retryAfter: form } },
    logLimit: 100_000,
  });
  const { url: baseUrl, clientId, clientSecret } = simulator;
  const api = createSurveyApi({
    baseUrl,
    credentials: { clientId, clientSecret },
    ...(learned === undefined ? {} : { learned }),
  });
  const started = performance.now();
  const responses = await readDetails(api, 7);
  const seconds = (performance.now() - started) / 1000;
  const statuses = simulator.log().map(({ status }) => status);
  const late = statuses.slice(Math.ceil(statuses.length * 0.2));
  const result = {
    seconds,
    requests: statuses.length,
    refused: statuses.filter((status) => status === 429).length,
    lateRefused: late.filter((status) => status === 429).length / late.length,
    learned: JSON.parse(JSON.stringify(api.learned() ?? null)) ?? undefined,
  };
  if (responses !== RESPONSES) throw new Error(`${responses} of ${RESPONSES} responses`);
  await api.close();
  await simulator.close();
  return result;
}

for (const form of ["seconds", "date", "none"] as const) {
  let learned: LearnedRate | undefined;
  for (let number = 1; number <= 1 + RUNS; number += 1) {
    const result = await run(form, learned);
    // Refused requests are made again: those that were needed are the others.
    const ideal = (result.requests - result.refused - LIMIT.burst) / LIMIT.perSecond;
    console.log(
      [
        `Retry-After ${form}`.padEnd(19),
        (number === 1 ? "first run" : `run ${number}`).padEnd(9),
        `${result.requests} requests`,
        `${result.seconds.toFixed(2)} s`,
        `${(result.seconds / ideal).toFixed(3)} × ideal`,
        `${result.refused} refused`,
        `${(result.lateRefused * 100).toFixed(2)} % of the last 80 %`,
        `then ${result.learned?.requestsPerSecond.toFixed(1)}/s`,
      ].join("  "),
    );
    learned = result.learned;
    await sleep(1_000);
  }
}
