import type { Metric, ResponseCompleted } from "../response-completed.ts";

// The copy of an event for those who may see figures: what a respondent wrote or is known by is not in it. It takes what it knows: a field that is added to the
// contract is left out until it is named here.

/** Bytes of a copy above which it goes without its answers. Ten of them have to fit into one request. */
const MOST_BYTES = 100_000;

const METRIC = [
  ...["key", "metricId", "surveyId", "metricName", "presentation", "maxValueIncludingEmptyAnswer", "testMode"],
  ...["firstLevelThreshold", "secondLevelThreshold", "created"],
] as (keyof Metric)[];
const SCORE = ["pointsSum", "maxPointsSum", "minPointsSum", "nps"] as const;

/** The JSON of an event without comments, metadata, key, code and undocumented fields. It is valid by the same schema. */
export function factsJson({ meta, data, ...more }: Pick<ResponseCompleted, "meta" | "data">): string {
  const { country, hasComment, answerCount, started, completed } = data.response;
  const copy = {
    ...more,
    meta: { ...meta, reduced: true },
    data: {
      ...pick(data, ["surveyId", "responseId", "survey", "summary", "labelsMayDiffer"]),
      ...("observedAt" in data && { observedAt: data.observedAt }),
      response: { country, crk: null, promoCode: null, hasComment, answerCount, started, completed },
      metrics: data.metrics.map(({ score, ...metric }) => ({
        ...pick(metric as Metric, METRIC),
        ...(score === undefined ? {} : { score: score && pick(score, SCORE) }),
      })),
      metadata: null,
      answers: data.answers.map(({ questionId, answer, score, matrixScore, question, labels }) => ({
        ...{ questionId, answer, comment: "", score, matrixScore: hasText(matrixScore) ? null : matrixScore },
        ...{ question, labels },
      })),
      answersRef: null,
    },
  };
  const json = JSON.stringify(copy);
  if (Buffer.byteLength(json) <= MOST_BYTES) return json;
  return JSON.stringify({ ...copy, data: { ...copy.data, answers: [] } });
}

function pick<T extends object, K extends keyof T>(object: T, names: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]])) as Partial<
    Pick<T, K>
  >;
}

function hasText(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasText);
  return typeof value === "string";
}
