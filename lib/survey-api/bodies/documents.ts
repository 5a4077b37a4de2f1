import type { DataOperation } from "../operations.ts";
import type { Odd, Resource, ResourceField, Shape } from "./field.ts";
import { asArray, entriesIn, isObject } from "./json.ts";
import { safeKey } from "./outline.ts";
import {
  fullSurvey,
  questionListItem,
  reportMetric,
  responseMetadata,
  responseMetric,
  responseRecord,
  surveyListItem,
} from "./resources.ts";

/** A place of a body that is not as documented, such as `[3].languageId`; empty for the whole body. It never holds a value of the body. */
export interface Irregularity {
  path: string;
  expected: string;
}

/** The outcome of reading a body: its value with the places that are not as documented, or the places that had to be readable and are not. */
export type Reading<T> = { value: T; irregular: Irregularity[] } | { unreadable: Irregularity[] };

/** Turns a parsed body of unknown shape into what an operation gives; never throws. */
export type BodyReader<T> = (body: unknown) => Reading<T>;

type AnyResource = ResourceField<Shape>;

/**
 * The resource whose fields tell something of an element. The request names some of its fields, which an error may repeat. So may an error
 * tell when it was made. Alone these tell nothing.
 */
function telling({ shape }: AnyResource, ...asked: string[]): (value: unknown) => boolean {
  const names = Object.keys(shape).filter((name) => !asked.includes(name));
  return (value) => isObject(value) && names.some((name) => Object.hasOwn(value, name));
}

const isListed = telling(surveyListItem);
const isQuestion = telling(questionListItem);
const isRecord = telling(responseRecord, "surveyId");
const isMetadata = telling(responseMetadata, "responseId");
const isMetric = telling(responseMetric, "surveyId", "created");
const isReportMetric = telling(reportMetric, "surveyId", "created");

/** By the operation that lists the elements, or gives them by key (section 2). */
const tellers: Partial<Record<DataOperation, (element: unknown) => boolean>> = {
  "get survey list": isListed,
  "get survey questions": isQuestion,
  "get survey responses": isRecord,
  "get survey responses, page": isRecord,
  "get survey responses, page and order": isRecord,
  "get metric, single response": isMetric,
  "get metric, report": isReportMetric,
  "get response metadata": isMetadata,
  "v2 survey list": isListed,
  "v2 questions": isQuestion,
  "v2 responses": isRecord,
  "v2 responses, page": isRecord,
  "v2 response metadata": isMetadata,
};

/** Whether an element has any field that the document shows for its operation, beside those that the request names; undefined where it shows none. */
export function hasDocumentedField(operation: DataOperation, element: unknown): boolean | undefined {
  return tellers[operation]?.(element);
}

function listOf<S extends Shape>(resource: ResourceField<S>, isTold: (value: unknown) => boolean) {
  return (body: unknown): Reading<Resource<S>[]> => {
    const elements = asArray(body);
    if (elements === undefined) return { unreadable: [{ path: "", expected: "array" }] };
    const odd: Odd[] = [];
    return outcome(
      elements.map((element, index) => readElement(resource, isTold, element, [index], odd)),
      odd,
    );
  };
}

/** The bare resource is read too. */
function oneOf<S extends Shape>(resource: ResourceField<S>) {
  return (body: unknown): Reading<Resource<S>> => {
    const isBare = isObject(body);
    if (!isBare && !(Array.isArray(body) && body.length === 1)) return { unreadable: [{ path: "", expected: MAP }] };
    const odd: Odd[] = [];
    return outcome(readElement(resource, isObject, isBare ? body : body[0], isBare ? [] : [0], odd), odd);
  };
}

/** See `entriesIn` for what else is read than an array with one object of resources by key; it is told. */
function mapOfAll<S extends Shape>(resource: ResourceField<S>, isTold: (value: unknown) => boolean) {
  return (body: unknown): Reading<Record<string, Resource<S>>> => {
    const found = entriesIn(body, isTold);
    if (found === undefined) return { unreadable: [{ path: "", expected: MAP }] };
    const odd: Odd[] = [];
    if (found.isList || (Array.isArray(body) && body.length > 1)) odd.push({ path: [], expected: MAP });
    const read = found.entries.map(
      ({ key, value, at }) => [key, readElement(resource, isTold, value, at, odd)] as const,
    );
    return outcome(Object.fromEntries(read), odd);
  };
}

const MAP = "array with one object";

/** Any object at all would be taken for a resource whose fields may all be odd, such as an error that comes with status 200. */
function readElement<S extends Shape>(
  resource: ResourceField<S>,
  isTold: (value: unknown) => boolean,
  value: unknown,
  at: (string | number)[],
  all: Odd[],
): Resource<S> {
  const odd: Odd[] = [];
  const read = resource.read(value, odd);
  if (odd.length === 0) return read;
  const isNone = !isTold(value);
  for (const { path, expected, isUnreadable = false } of odd)
    all.push({ path: [...at, ...path], expected, isUnreadable: isNone || isUnreadable });
  return read;
}

function outcome<T>(value: T, odd: readonly Odd[]): Reading<T> {
  const unreadable = odd.filter(({ isUnreadable }) => isUnreadable);
  return unreadable.length > 0 ? { unreadable: unreadable.map(told) } : { value, irregular: odd.map(told) };
}

/** Field names separated by dots, indexes in brackets; what may be data instead of a name is shown as `…`. */
function told({ path, expected }: Odd): Irregularity {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${safeKey(step)}`));
  return { path: steps.join("").replace(/^\./, ""), expected };
}

/** Operation 2. */
export const surveyListBody = listOf(surveyListItem, isObject);
/** Operation 3. */
export const surveyBody = oneOf(fullSurvey);
/** Operation 4. */
export const questionsBody = listOf(questionListItem, isObject);
/** Operations 6 to 8. */
export const recordsBody = listOf(responseRecord, isObject);
/** Operation 11. Its map key names a metric, whatever the metric shows. */
export const metricsBody = mapOfAll(responseMetric, isMetric);
/** Operation 12. */
export const reportMetricsBody = mapOfAll(reportMetric, isReportMetric);
/** Operation 13. The request names the response, so the body need not. */
export const metadataBody = listOf(responseMetadata, isMetadata);
