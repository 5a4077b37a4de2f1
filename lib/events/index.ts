export { type BooksClosed, booksClosed } from "./books-closed.ts";
export {
  type BooksDigest,
  type BooksSums,
  type BooksVerdict,
  booksSums,
  type DigestSum,
  digestSum,
  verifyBooks,
} from "./books-digest.ts";
export { type DetailOf, detailSchemas } from "./catalog.ts";
export { type Change, DETAIL_TYPE, EVENT_TYPES, type EventType, SCHEMA_VERSION } from "./contract.ts";
export { eventId } from "./event-id.ts";
export { detailJsonSchema, eventJsonSchema } from "./json-schema.ts";
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
export { type ResponseUpdated, responseUpdated } from "./response-updated.ts";
export {
  type ResponseDeleted,
  responseDeleted,
  type SurveyChanged,
  type SurveyCounted,
  surveyChanged,
  surveyCounted,
} from "./told.ts";
