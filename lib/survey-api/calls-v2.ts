import { type Asked, type ReadBody, type ReadSingleResponse, readSingleResponse, readV2 } from "./bodies/index.ts";
import { type Call, judged } from "./call.ts";
import type {
  FullSurvey,
  QuestionListItem,
  ResponseMetadata,
  ResponseRecord,
  SurveyListItem,
} from "./schemas/index.ts";
import type { SurveyApiV2, V2Answer } from "./survey-api.ts";

/** How v3 reads the bodies of the operations that both families have. */
export interface SharedBodies {
  surveys: ReadBody<SurveyListItem[]>;
  survey: ReadBody<FullSurvey>;
  questions: ReadBody<QuestionListItem[]>;
  records: ReadBody<ResponseRecord[]>;
  metadata: ReadBody<ResponseMetadata[]>;
}

/** Every operation of the legacy family as a function. */
export function createV2Calls(call: Call, read: SharedBodies): SurveyApiV2 {
  return {
    surveys: (given) => call("v2 survey list", {}, asV3({}, read.surveys), given),
    survey: (surveyId, given) => call("v2 survey", { surveyId }, asV3({ surveyId }, read.survey), given),
    questions: (surveyId, given) => call("v2 questions", { surveyId }, asV3({}, read.questions), given),
    records(surveyId, { page, ...given } = {}) {
      const readBody = asV3({ surveyId }, read.records);
      if (page !== undefined) return call("v2 responses, page", { surveyId, page }, readBody, given);
      return call("v2 responses", { surveyId }, readBody, given);
    },
    response: (surveyId, responseId, given) => {
      const asked = { surveyId, responseId };
      return call("v2 response by id", asked, oneResponse(asked), given);
    },
    responseByCrk: (surveyId, crk, given) =>
      call("v2 response by crk", { surveyId, crk }, oneResponse({ surveyId }), given),
    metadata: (surveyId, responseId, given) =>
      call("v2 response metadata", { surveyId, responseId }, asV3({ responseId }, read.metadata), given),
  };
}

function asV3<T>(asked: Asked, read: ReadBody<T>): ReadBody<V2Answer<T>> {
  return (raw, about) => readV2(raw, judged(asked, read), about);
}

function oneResponse(asked: Asked): ReadBody<V2Answer<ReadSingleResponse>> {
  return (raw, about) => ({ value: readSingleResponse(raw, asked, about), raw });
}
