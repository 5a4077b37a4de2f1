import pLimit from "p-limit";
import { createSurveyApi, type SurveyApi } from "../../lib/survey-api/index.ts";
import { startSimulator } from "../../local/simulator/index.ts";

/** Responses of each worker's survey: one of them has more to do, and goes on alone. */
const RESPONSES = [600, 1_200];
const LIMIT = { perSecond: 100, burst: 50 };

/** How much longer than the ideal time two workers take that know nothing of each other. */
export async function shareRate(form: "seconds" | "none"): Promise<number> {
  const surveys = RESPONSES.map((responses, i) => ({ surveyId: 7 + i, responses }));
  const simulator = await startSimulator({
    surveys,
    settings: { rateLimit: { ...LIMIT, retryAfter: form } },
    logLimit: 100_000,
  });
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
  const statuses = simulator.log().map(({ status }) => status);
  const granted = statuses.filter((status) => status !== 429).length;
  await simulator.close();
  return seconds / ((granted - LIMIT.burst) / LIMIT.perSecond);
}

/** Reads a list to its end, and the metrics and metadata of each of its responses. Gives how many responses there are. */
export async function readDetails(api: SurveyApi, surveyId: number): Promise<number> {
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
  return seen.size;
}
