import pLimit from "p-limit";
import type { SurveyApi } from "../../lib/survey-api/index.ts";

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
