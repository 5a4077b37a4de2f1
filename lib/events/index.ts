export { DETAIL_TYPE, SCHEMA_VERSION } from "./contract.ts";
export { responseCompletedEnvelopeSchema } from "./envelope-schema.ts";
export { eventId } from "./event-id.ts";
export { responseCompletedJsonSchema } from "./json-schema.ts";
export {
  type Answer,
  type AnswersRef,
  type Metadata,
  type Metric,
  type Moment,
  type Origin,
  origins,
  type Question,
  type ResponseCompleted,
  responseCompleted,
  type Summary,
  type SurveyFacts,
} from "./response-completed.ts";
