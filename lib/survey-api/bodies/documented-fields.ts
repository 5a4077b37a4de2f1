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

const record = Object.keys(responseRecordSchema.shape);
const metadata = Object.keys(responseMetadataSchema.shape);
const listed = Object.keys(surveyListItemSchema.shape);
const question = Object.keys(questionListItemSchema.shape);

/** The documented fields of one element, by the operation that lists it or gives it by key (section 2). */
const fields: Partial<Record<DataOperation, readonly string[]>> = {
  "get survey list": listed,
  "get survey questions": question,
  "get survey responses": record,
  "get survey responses, page": record,
  "get survey responses, page and order": record,
  "get metric, single response": Object.keys(responseMetricSchema.shape),
  "get metric, report": Object.keys(reportMetricSchema.shape),
  "get response metadata": metadata,
  "v2 survey list": listed,
  "v2 questions": question,
  "v2 responses": record,
  "v2 responses, page": record,
  "v2 response metadata": metadata,
};

/** Whether an element has any field that the document shows for its operation; true where it shows none. */
export function hasDocumentedField(operation: DataOperation, element: unknown): boolean {
  const { [operation]: names } = fields;
  return names === undefined || (isObject(element) && names.some((name) => Object.hasOwn(element, name)));
}
