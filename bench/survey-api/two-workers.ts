import pLimit from "p-limit";
import { createRateSharing } from "../../lib/service/rate-sharing.ts";
import type { RateClaim, RateClaims } from "../../lib/state/rate-claims.ts";
import { createSurveyApi } from "../../lib/survey-api/index.ts";
import { startSimulator } from "../../local/simulator/index.ts";

/** Responses of each worker's survey: one of them has more to do, and goes on alone. */
const RESPONSES = [600, 1_200];
const LIMIT = { perSecond: 100, burst: 50 };

function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds);
  return () => clearInterval(timer);
}

/** As the table keeps them. */
function claimsInMemory(): RateClaims {
  const all = new Map<string, RateClaim>();
  return {
    async put(worker, claim, now) {
      all.set(worker, claim);
      return new Map([...all].filter(([name, { until }]) => name !== worker && until >= now));
    },
    async remove(worker) {
      all.delete(worker);
    },
  };
}

/** How much longer than the ideal time two workers take that tell each other what they take. */
export async function shareRate(form: "seconds" | "none"): Promise<number> {
  const surveys = RESPONSES.map((responses, i) => ({ surveyId: 7 + i, responses }));
  const simulator = await startSimulator({
    surveys,
    settings: { rateLimit: { ...LIMIT, retryAfter: form } },
    logLimit: 100_000,
  });
  const { url: baseUrl, clientId, clientSecret } = simulator;
  const claims = claimsInMemory();
  const started = performance.now();
  await Promise.all(
    surveys.map(async ({ surveyId }) => {
      const api = createSurveyApi({ baseUrl, credentials: { clientId, clientSecret } });
      const sharing = createRateSharing({ claims, api, hasCeiling: false, now: Date.now, every });
      sharing.begin(1, { atOnce: true });
      const limit = pLimit(32);
      const details: Promise<unknown>[] = [];
      for await (const { responseId } of api.responses(surveyId)) {
        details.push(
          limit(() => api.metrics(surveyId, responseId)),
          limit(() => api.metadata(surveyId, responseId)),
        );
      }
      await Promise.all(details);
      await sharing.end();
      await api.close();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const statuses = simulator.log().map(({ status }) => status);
  const granted = statuses.filter((status) => status !== 429).length;
  await simulator.close();
  return seconds / ((granted - LIMIT.burst) / LIMIT.perSecond);
}
