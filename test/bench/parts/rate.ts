import pLimit from "p-limit";
import { startSimulator } from "../../../lib/local/simulator/index.ts";
import { createSurveyApi, type SurveyApi } from "../../../lib/survey-api/index.ts";
import { atMost, median, type Row } from "../support/measure.ts";

// Two workers that know nothing of each other under one bucket of 100 requests a second and a burst of 50.

const RUNS = 3;
const LIMIT = { perSecond: 100, burst: 50 };
/** Responses of each worker's survey: one of them has more to do, and goes on alone. */
const RESPONSES = [600, 1_200];

/** How much longer than the ideal time they take. */
async function shareRate(retryAfter: "seconds" | "none"): Promise<number> {
  const surveys = RESPONSES.map((responses, i) => ({ surveyId: 7 + i, responses }));
  const simulator = await startSimulator({ surveys, settings: { rateLimit: { ...LIMIT, retryAfter } } });
  const { url: baseUrl, clientId, clientSecret } = simulator;
  const started = performance.now();
  await Promise.all(
    surveys.map(async ({ surveyId }) => {
      const api = createSurveyApi({ baseUrl, credentials: { clientId, clientSecret } });
      await readDetails(api, surveyId);
      await api.close();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const { requests = 0, "status:429": refused = 0 } = simulator.counters();
  await simulator.close();
  return seconds / ((requests - refused - LIMIT.burst) / LIMIT.perSecond);
}

/** Reads a list to its end, and the metrics and metadata of each of its responses. */
async function readDetails(api: SurveyApi, surveyId: number): Promise<void> {
  const limit = pLimit(32);
  const seen = new Set<number>();
  const details: Promise<unknown>[] = [];
  for (let page = 1; ; page += 1) {
    const records = await api.records(surveyId, { page, order: "asc" });
    if (records.length === 0) break;
    for (const { responseId } of records) {
      if (seen.has(responseId)) continue;
      seen.add(responseId);
      details.push(
        limit(() => api.metrics(surveyId, responseId)),
        limit(() => api.metadata(surveyId, responseId)),
      );
    }
  }
  await Promise.all(details);
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const form of ["seconds", "none"] as const) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) times.push(await shareRate(form));
    rows.push(atMost(`two workers under 100 requests/s, Retry-After ${form}, of the ideal time`, median(times), 1.3));
  }
  return rows;
}
