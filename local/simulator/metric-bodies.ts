import { dateTimeString } from "./dates.ts";
import { hash32 } from "./hashing.ts";
import type { SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

type Metric = [key: string, metric: Record<string, unknown>];

/** Section 2.6: the metrics of one response. */
export function metricsBody(survey: Survey, response: SimulatedResponse, settings: Settings): unknown {
  const metrics = metricHeads(survey, settings).map(([key, head], index): Metric => {
    const pointsSum = hash32(survey.seed, response.responseId, response.revision, index, 82) % 11;
    return [key, { ...head, score: { pointsSum, maxPointsSum: 10, minPointsSum: 0, nps: index === 0 } }];
  });
  return [contained(metrics, settings)];
}

/** Section 2.7: the metrics of one report. */
export function reportMetricsBody(survey: Survey, settings: Settings): unknown {
  const metrics = metricHeads(survey, settings).map(
    ([key, head]): Metric => [
      key,
      {
        ...head,
        score: (hash32(survey.seed, survey.tally.completed, 81) / 2 ** 32).toFixed(2),
        condition: "",
        maxPointsSum: 10,
        minPointSum: 0,
        responseSum: String(survey.tally.completed),
      },
    ],
  );
  return [contained(metrics, settings)];
}

function contained(metrics: readonly Metric[], { metricContainer }: Settings): unknown {
  return metricContainer === "map" ? Object.fromEntries(metrics) : metrics.map(([, metric]) => metric);
}

/** One to three metrics for each survey. */
function metricHeads(survey: Survey, settings: Settings): Metric[] {
  return Array.from({ length: 1 + (hash32(survey.seed, 83) % 3) }, (_, index) => {
    const metricId = survey.surveyId * 10 + index + 1;
    const head = {
      metricId,
      surveyId: survey.surveyId,
      metricName: ["NPS", "CSAT", "CES"][index] ?? "NPS",
      presentation: "points",
      maxValueIncludingEmptyAnswer: 0,
      testMode: 0,
      firstLevelThreshold: index === 0 ? null : 5,
      secondLevelThreshold: null,
      created: dateTimeString(survey.createdAt, settings.zone),
    };
    return [String(settings.metricKey === "metricId" ? metricId : index + 1), head];
  });
}
