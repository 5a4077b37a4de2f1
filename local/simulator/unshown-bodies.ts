import { dateTimeString } from "./dates.ts";
import type { ListedRecord } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** Shapes that the API document does not show; each follows one plausible reading of it. */

const answerFields = ["questionId", "answer", "comment", "score", "matrixScore"];

/** Operations 9 and 10: one response from its records. */
export function singleResponseBody(records: readonly ListedRecord[], shape: Settings["singleResponseBody"]): unknown {
  const isOfAnswer = ([field]: [string, unknown]) => answerFields.includes(field);
  const head = Object.fromEntries(Object.entries(records[0] ?? {}).filter((entry) => !isOfAnswer(entry)));
  const answers = records.map((record) => Object.fromEntries(Object.entries(record).filter(isOfAnswer)));
  switch (shape) {
    case "records":
      return records;
    case "firstRecord":
      return records.slice(0, 1);
    case "arrayWithAnswers":
      return [{ ...head, answers }];
    case "objectWithAnswers":
      return { ...head, answers };
    case "wrapped":
      return { response: head, answers };
    case "answersByQuestion":
      return [{ ...head, answers: Object.fromEntries(answers.map((answer) => [String(answer.questionId), answer])) }];
  }
}

/** The ids of a survey's reports. */
export function reportIds(survey: Survey): number[] {
  return [survey.surveyId * 10 + 1, survey.surveyId * 10 + 2];
}

/** Operation 5. */
export function reportsBody(survey: Survey, settings: Settings): unknown {
  const reports = reportIds(survey).map((reportId, index) => ({
    reportId,
    surveyId: survey.surveyId,
    name: `Report ${index + 1}`,
    created: dateTimeString(survey.createdAt, settings.zone),
  }));
  return settings.reportsBody === "array" ? reports : { reports };
}

/** A body of the v2 family, given the v3 one. */
export function v2Body(body: unknown, settings: Settings): unknown {
  return settings.v2Body === "same" ? body : { data: body };
}

/** The body of an error. */
export function errorBody(
  status: number,
  message: string,
  shape: Settings["errorBody"],
): { body: string; type: string } {
  switch (shape) {
    case "json":
      return { body: JSON.stringify({ status, message }), type: "application/json" };
    case "text":
      return { body: message, type: "text/plain" };
    case "html":
      return { body: `<html><body><h1>${status}</h1><p>${message}</p></body></html>`, type: "text/html" };
    case "empty":
      return { body: "", type: "text/plain" };
  }
}
