import { isObject } from "../../json.ts";
import type { Operation } from "../operations.ts";
import type { Odd, Resource, ResourceField, Shape } from "./field.ts";
import { asArray, entriesIn } from "./json.ts";
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

/** Tells an element of a body from an error that came in its place. */
type Teller = (element: unknown) => boolean;

function listOf<S extends Shape>(resource: ResourceField<S>, isTold: Teller) {
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
function oneOf<S extends Shape>(resource: ResourceField<S>, isTold: Teller) {
  return (body: unknown): Reading<Resource<S>> => {
    const isBare = isObject(body);
    if (!isBare && !(Array.isArray(body) && body.length === 1)) return { unreadable: [{ path: "", expected: MAP }] };
    const odd: Odd[] = [];
    return outcome(readElement(resource, isTold, isBare ? body : body[0], isBare ? [] : [0], odd), odd);
  };
}

/** See `entriesIn` for what else is read than an array with one object of resources by key; it is told. */
function mapOfAll<S extends Shape>(resource: ResourceField<S>, isTold: Teller) {
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
  isTold: Teller,
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

/** What the API document shows of a body. */
export interface Shown<T> {
  read: BodyReader<T>;
  /** Whether an element has any field that the document shows, but for those that an error may have as well. */
  isTold: Teller;
  /** The ids in which the elements repeat what was asked for. Of any other the document does not say whose it is. */
  repeats: readonly ("surveyId" | "responseId")[];
}

/** @param untelling fields that an error may repeat of the request, or have itself: alone they tell nothing */
function shown<S extends Shape, T>(
  form: (resource: ResourceField<S>, isTold: Teller) => BodyReader<T>,
  resource: ResourceField<S>,
  { repeats = [], untelling = [] }: { repeats?: Shown<T>["repeats"]; untelling?: string[] } = {},
): Shown<T> {
  const names = Object.keys(resource.shape).filter((name) => !untelling.includes(name));
  const isTold: Teller = (element) => isObject(element) && names.some((name) => Object.hasOwn(element, name));
  return { read: form(resource, isTold), isTold, repeats };
}

const surveyList = shown(listOf, surveyListItem);
const survey = shown(oneOf, fullSurvey, { repeats: ["surveyId"] });
const questions = shown(listOf, questionListItem);
const records = shown(listOf, responseRecord, { repeats: ["surveyId"], untelling: ["surveyId"] });
/** The request names the response, so the body need not. */
const metadata = shown(listOf, responseMetadata, { repeats: ["responseId"], untelling: ["responseId"] });
/** Of a metric, which its key names, whatever it shows. */
const untelling = ["surveyId", "created"];

export type Documents = typeof documents;
/** By the operation whose body it is. */
export const documents = {
  "get survey list": surveyList,
  "get survey": survey,
  "get survey questions": questions,
  "get survey responses": records,
  "get survey responses, page": records,
  "get survey responses, page and order": records,
  "get metric, single response": shown(mapOfAll, responseMetric, { untelling }),
  "get metric, report": shown(mapOfAll, reportMetric, { untelling }),
  "get response metadata": metadata,
  "v2 survey list": surveyList,
  "v2 survey": survey,
  "v2 questions": questions,
  "v2 responses": records,
  "v2 responses, page": records,
  "v2 response metadata": metadata,
};

/** Of one response the document does not show the body, but whose it is. */
const ofOneResponse: readonly Operation[] = [
  "get survey response by id",
  "get survey response by crk",
  "v2 response by id",
  "v2 response by crk",
];

/** What is known of the body of any operation. */
export function shownOf(operation: Operation): Partial<Shown<unknown>> {
  if (ofOneResponse.includes(operation)) return { repeats: ["surveyId", "responseId"] };
  return (documents as Partial<Record<Operation, Shown<unknown>>>)[operation] ?? {};
}
