import { isObject } from "../../json.ts";
import type { ResponseCompleted } from "../response-completed.ts";

// The copy of an event for those who may see figures: what a respondent wrote or is known by is not in it.

/** Bytes of a copy above which it goes without its answers. Ten of them have to fit into one request. */
const MOST_BYTES = 100_000;

/** Fields that are kept: as they are, or as far as they are named below them. */
type Kept = true | { readonly [field: string]: Kept };

const all = (...names: string[]): { readonly [field: string]: true } =>
  Object.fromEntries(names.map((name) => [name, true]));
const moment = all("local", "at", "ambiguous");

/** A field that is added to the contract is left out until it is named here. */
const KEPT: Kept = {
  meta: all(
    ...["eventId", "schemaVersion", "sourceName", "detectedAt", "test", "origin", "revision", "complete", "missing"],
    ...["irregular", "replaces", "changed"],
  ),
  data: {
    ...all("surveyId", "responseId", "labelsMayDiffer", "observedAt"),
    survey: all("name", "modified", "languageId"),
    summary: {
      ...all("scorePercent", "durationSeconds", "comments", "test"),
      nps: all("score", "class"),
      metrics: all("name", "score", "class"),
    },
    response: { ...all("country", "hasComment", "answerCount"), started: moment, completed: moment },
    metrics: {
      ...all("key", "metricId", "surveyId", "metricName", "presentation", "maxValueIncludingEmptyAnswer", "testMode"),
      ...all("firstLevelThreshold", "secondLevelThreshold", "created"),
      score: all("pointsSum", "maxPointsSum", "minPointsSum", "nps"),
    },
    answers: {
      ...all("questionId", "answer", "score", "matrixScore", "labels"),
      question: all("number", "type", "text"),
    },
  },
};

/** The JSON of an event without comments, metadata, key, code and undocumented fields. It is valid by the same schema. */
export function factsJson(event: Pick<ResponseCompleted, "meta" | "data">): string {
  const { meta, data } = only(event, KEPT) as typeof event;
  const answers = data.answers.map(({ matrixScore, ...answer }) => ({
    ...answer,
    comment: "",
    matrixScore: hasText(matrixScore) ? null : matrixScore,
  }));
  const response = { ...data.response, crk: null, promoCode: null };
  const copy = {
    meta: { ...meta, reduced: true },
    data: { ...data, response, answers, metadata: null, answersRef: null },
  };
  const json = JSON.stringify(copy);
  if (Buffer.byteLength(json) <= MOST_BYTES) return json;
  return JSON.stringify({ ...copy, data: { ...copy.data, answers: [] } });
}

function only(value: unknown, kept: Kept): unknown {
  if (kept === true) return value;
  if (Array.isArray(value)) return value.map((one) => only(one, kept));
  if (!isObject(value)) return value;
  const names = Object.keys(kept).filter((name) => name in value);
  return Object.fromEntries(names.map((name) => [name, only(value[name], kept[name] as Kept)]));
}

function hasText(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasText);
  return typeof value === "string";
}
