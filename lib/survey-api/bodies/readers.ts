import {
  fullSurveySchema,
  questionListItemSchema,
  reportMetricSchema,
  responseMetadataSchema,
  responseMetricSchema,
  responseRecordSchema,
  surveyListItemSchema,
} from "../schemas/index.ts";
import { listOf, mapOfAll, oneOf } from "./containers.ts";

/** Operation 2. */
export const surveyListBody = listOf(surveyListItemSchema, ["surveyId"]);
/** Operation 3. */
export const surveyBody = oneOf(fullSurveySchema, ["surveyId"]);
/** Operation 4. */
export const questionsBody = listOf(questionListItemSchema, ["questionId"]);
/** Operations 6 to 8. */
export const recordsBody = listOf(responseRecordSchema, ["responseId", "completed"]);
/** Operation 11. Its map key names a metric, whatever the metric shows. */
export const metricsBody = mapOfAll(responseMetricSchema);
/** Operation 12. */
export const reportMetricsBody = mapOfAll(reportMetricSchema);
/** Operation 13. The request names the response, so the body need not. */
export const metadataBody = listOf(responseMetadataSchema, []);
