import type { Json, SimResponse, SimSurvey } from "./survey-model.ts";

/** Question number of what operation 9 lists and pages never do. */
export const EXTRA_QUESTION = 900_001;

export const pointsOf = (response: SimResponse): number => response.id % 11;
/** As it is, and as it is without the part that stands for a person. */
export function ipOf({ id }: SimResponse): { keep: string; truncate: string } {
  if (id % 5 === 0) return { keep: `2001:db8:${id % 9}::7`, truncate: `2001:db8:${id % 9}::` };
  const network = "203.0.113";
  return { keep: `${network}.${(id % 254) + 1}`, truncate: `${network}.0` };
}
export const referrerOf = (response: SimResponse): string | null =>
  response.id % 2 === 0 ? "https://example.com/" : null;

/** The body of operation 11. */
export function metricsOf(response: SimResponse): object[] {
  const metric = {
    metricId: 31,
    surveyId: response.survey.id,
    metricName: "NPS",
    presentation: "points",
    maxValueIncludingEmptyAnswer: 10,
    testMode: 0,
    firstLevelThreshold: null,
    secondLevelThreshold: null,
    created: "2026-01-01 08:00:00",
    score: { pointsSum: pointsOf(response), maxPointsSum: 10, minPointsSum: 0, nps: true },
  };
  const { metricsAs } = response.survey.traits;
  if (metricsAs === "map") return [{ "31": metric }];
  return metricsAs === "list" ? [[metric]] : [metric];
}

/** The body of operation 13: of a response, or of another one where the service mixes them up. */
export function metadataOf(response: SimResponse, isMixedUp: boolean): object[] {
  const { traits, responses } = response.survey;
  const other = responses.find(({ id }) => id !== response.id);
  if (isMixedUp && other !== undefined) return [metadataItem(other)];
  const own = metadataItem(response);
  if (traits.metadataAs === "anonymous") return [{ ...own, responseId: undefined }];
  return traits.metadataAs === "several" && other !== undefined ? [metadataItem(other), own] : [own];
}

function metadataItem(response: SimResponse): Json {
  return {
    responseId: response.id,
    ip: ipOf(response).keep,
    referrer: referrerOf(response),
    iso3166: "PL",
    languageId: 1,
    languageName: "Polish",
    languageSymbol: "pl",
    deviceType: "desktop",
    deviceTypeName: "Desktop",
    os: "Linux",
    browser: "Firefox 140",
  };
}

/** The records in which operation 9 shows a response, by what it is like for the survey. */
export function singleOf(survey: SimSurvey, records: readonly Json[]): unknown[] {
  const mode = survey.traits.single;
  if (mode === "more") {
    return [...records, { ...records[0], questionId: EXTRA_QUESTION, answer: [], comment: "", score: null }];
  }
  if (mode === "fewer") return records.slice(0, 1);
  if (mode === "bare") {
    return records.map(({ responseId, questionId, answer, comment, score, matrixScore }) => ({
      responseId,
      questionId,
      answer,
      comment,
      score,
      matrixScore,
    }));
  }
  return records.slice();
}
