export { eventId } from "./event-id.ts";
export { responseCompletedJsonSchema } from "./json-schema.ts";
export {
  type Answer,
  type AnswersRef,
  DETAIL_TYPE,
  type Metadata,
  type Metric,
  type Moment,
  type Origin,
  origins,
  type ResponseCompleted,
  responseCompleted,
  SCHEMA_VERSION,
} from "./response-completed.ts";
