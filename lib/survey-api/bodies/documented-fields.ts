import type { DataOperation } from "../operations.ts";
import {
  questionListItemSchema,
  reportMetricSchema,
  responseMetadataSchema,
  responseMetricSchema,
  responseRecordSchema,
  surveyListItemSchema,
} from "../schemas/index.ts";
import { isObject } from "./json.ts";

/** Whether a value has any field of a resource that tells something of it. */
export type IsTold = (value: unknown) => value is Record<string, unknown>;

/** @param asked what the request names: an error may repeat that, so alone it tells nothing */
export function isToldBy({ shape }: { shape: object }, asked: readonly string[]): IsTold {
  const names = Object.keys(shape).filter((name) => !asked.includes(name));
  return (value): value is Record<string, unknown> =>
    isObject(value) && names.some((name) => Object.hasOwn(value, name));
}

/** Fields that the request for details names, and the time at which something was made, which an error may tell too. */
export const OF_RESPONSE: readonly string[] = ["surveyId", "responseId", "created"];

const isRecord = isToldBy(responseRecordSchema, ["surveyId"]);
const isMetadata = isToldBy(responseMetadataSchema, OF_RESPONSE);
const isListed = isToldBy(surveyListItemSchema, []);
const isQuestion = isToldBy(questionListItemSchema, []);

/** By the operation that lists the elements, or gives them by key (section 2). */
const resources: Partial<Record<DataOperation, IsTold>> = {
  "get survey list": isListed,
  "get survey questions": isQuestion,
  "get survey responses": isRecord,
  "get survey responses, page": isRecord,
  "get survey responses, page and order": isRecord,
  "get metric, single response": isToldBy(responseMetricSchema, OF_RESPONSE),
  "get metric, report": isToldBy(reportMetricSchema, OF_RESPONSE),
  "get response metadata": isMetadata,
  "v2 survey list": isListed,
  "v2 questions": isQuestion,
  "v2 responses": isRecord,
  "v2 responses, page": isRecord,
  "v2 response metadata": isMetadata,
};

/** Whether the document shows what the elements of an operation are. */
export const isShown = (operation: DataOperation): boolean => resources[operation] !== undefined;

/** Whether an element has any field that the document shows for its operation, beside those that the request names; true where it shows none. */
export function hasDocumentedField(operation: DataOperation, element: unknown): boolean {
  return resources[operation]?.(element) ?? true;
}
