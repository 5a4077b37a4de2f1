import { isObject } from "../../json.ts";
import type { Operation } from "../operations.ts";
import { type Field, type Odd, type Resource, type ResourceField, readInside, type Shape } from "./field.ts";
import { asArray, entriesIn } from "./json.ts";
import {
  fullSurvey,
  questionListItem,
  reportMetric,
  responseMetadata,
  responseMetric,
  responseRecord,
  surveyListItem,
} from "./resources.ts";

/** Tells an element of a body from an error that came in its place. */
type Teller = (element: unknown) => boolean;

const MAP = "array with one object";

function unreadable(expected: string, odd: Odd[]): never {
  odd.push({ path: [], expected, isUnreadable: true });
  return undefined as never;
}

function listOf<T>(element: Field<T>): Field<T[]> {
  return {
    read(body, odd) {
      const elements = asArray(body);
      if (elements === undefined) return unreadable("array", odd);
      return elements.map((one, index) => readInside(element, one, [index], odd));
    },
  };
}

/** The bare resource is read too. */
function oneOf<T>(element: Field<T>): Field<T> {
  return {
    read(body, odd) {
      if (isObject(body)) return element.read(body, odd);
      if (!Array.isArray(body) || body.length !== 1) return unreadable(MAP, odd);
      return readInside(element, body[0], [0], odd);
    },
  };
}

/** See `entriesIn` for what else is read than an array with one object of resources by key; it is told. */
function mapOfAll<T>(element: Field<T>, isTold: Teller): Field<Record<string, T>> {
  return {
    read(body, odd) {
      const found = entriesIn(body, isTold);
      if (found === undefined) return unreadable(MAP, odd);
      if (found.isList || (Array.isArray(body) && body.length > 1)) odd.push({ path: [], expected: MAP });
      return Object.fromEntries(
        found.entries.map(({ key, value, at }) => [key, readInside(element, value, at, odd)] as const),
      );
    },
  };
}

/** Any object at all would be taken for a resource whose fields may all be odd, such as an error that comes with status 200. */
function elementOf<S extends Shape>(resource: ResourceField<S>, isTold: Teller): Field<Resource<S>> {
  return {
    read(value, odd) {
      const before = odd.length;
      const read = resource.read(value, odd);
      if (odd.length > before && !isTold(value)) for (const one of odd.slice(before)) one.isUnreadable = true;
      return read;
    },
  };
}

/** What the API document shows of a body. */
export interface Shown<T> {
  body: Field<T>;
  /** Whether an element has any field that the document shows, but for those that an error may have as well. */
  isTold: Teller;
  /** The ids in which the elements repeat what was asked for. Of any other the document does not say whose it is. */
  repeats: readonly ("surveyId" | "responseId")[];
}

/** @param untelling fields that an error may repeat of the request, or have itself: alone they tell nothing */
function shown<S extends Shape, T>(
  form: (element: Field<Resource<S>>, isTold: Teller) => Field<T>,
  resource: ResourceField<S>,
  { repeats = [], untelling = [] }: { repeats?: Shown<T>["repeats"]; untelling?: string[] } = {},
): Shown<T> {
  const names = Object.keys(resource.shape).filter((name) => !untelling.includes(name));
  const isTold: Teller = (element) => isObject(element) && names.some((name) => Object.hasOwn(element, name));
  return { body: form(elementOf(resource, isTold), isTold), isTold, repeats };
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
