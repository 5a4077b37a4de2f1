import {
  type Asked,
  aboutAsked,
  fitting,
  metadataBody,
  questionsBody,
  type ReadBody,
  readSingleResponse,
  readV2,
  recordsBody,
  surveyBody,
  surveyListBody,
} from "./bodies/index.ts";
import type { Call } from "./call.ts";
import type { AboutAnswer } from "./errors.ts";
import type { SurveyApiV2, V2Answer } from "./survey-api.ts";

/** Every operation of the legacy family as a function. */
export function createV2Calls(call: Call): SurveyApiV2 {
  const asV3 =
    <T>(asked: Asked, readCandidate: (body: unknown, about: AboutAnswer) => T | undefined): ReadBody<V2Answer<T>> =>
    (raw, about) =>
      readV2(raw, (body) => readCandidate(aboutAsked(body, asked, about), about));
  const records = fitting(recordsBody);
  return {
    surveys: (given) => call("v2 survey list", {}, asV3({}, fitting(surveyListBody)), given),
    survey: (surveyId, given) => call("v2 survey", { surveyId }, asV3({ surveyId }, fitting(surveyBody)), given),
    questions: (surveyId, given) => call("v2 questions", { surveyId }, asV3({}, fitting(questionsBody)), given),
    records(surveyId, { page, ...given } = {}) {
      const readBody = asV3({ surveyId }, records);
      if (page !== undefined) return call("v2 responses, page", { surveyId, page }, readBody, given);
      return call("v2 responses", { surveyId }, readBody, given);
    },
    response: (surveyId, responseId, given) => {
      const asked = { surveyId, responseId };
      return call(
        "v2 response by id",
        asked,
        asV3(asked, (body, about) => readSingleResponse(body, asked, about)),
        given,
      );
    },
    responseByCrk: (surveyId, crk, given) => {
      const asked = { surveyId };
      const readBody = asV3(asked, (body, about) => readSingleResponse(body, asked, about));
      return call("v2 response by crk", { surveyId, crk }, readBody, given);
    },
    metadata: (surveyId, responseId, given) =>
      call("v2 response metadata", { surveyId, responseId }, asV3({ responseId }, fitting(metadataBody)), given),
  };
}
