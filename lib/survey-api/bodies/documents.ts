import { isObject } from "../../json.ts";
import type { Operation } from "../paths.ts";
import type { Of, ResourceField, Shape } from "./field.ts";
import * as resources from "./resources.ts";

/** How the elements of a body stand in it: in an array, one alone in an array, or by key in one object in an array. */
type Form = "list" | "one" | "map";

interface More {
  /** The ids in which the elements repeat what was asked for. Of any other the document does not say whose it is. */
  repeats?: readonly ("surveyId" | "responseId")[];
  /** Fields that an error may repeat of the request, or have itself: alone they tell nothing. */
  untelling?: string[];
}

/** What the API document shows of a body. */
function shown<F extends Form, R extends ResourceField<Shape>>(form: F, element: R, more: More = {}) {
  const { repeats = [], untelling = [] } = more;
  const names = Object.keys(element.shape).filter((name) => !untelling.includes(name));
  /** Whether an element has any field that the document shows, but for those that an error may have as well. */
  const isTold = (value: unknown): boolean => isObject(value) && names.some((name) => Object.hasOwn(value, name));
  return { form, element, isTold, repeats };
}

const surveyList = shown("list", resources.surveyListItem);
const survey = shown("one", resources.fullSurvey, { repeats: ["surveyId"] });
const questions = shown("list", resources.questionListItem);
const records = shown("list", resources.responseRecord, { repeats: ["surveyId"], untelling: ["surveyId"] });
/** The request names the response, so the body need not. */
const metadata = shown("list", resources.responseMetadata, { repeats: ["responseId"], untelling: ["responseId"] });
/** Of a metric, which its key names, whatever it shows. */
const untelling = ["surveyId", "created"];

/** By the operation whose body it is. */
export const documents = {
  "get survey list": surveyList,
  "get survey": survey,
  "get survey questions": questions,
  "get survey responses": records,
  "get survey responses, page": records,
  "get survey responses, page and order": records,
  "get metric, single response": shown("map", resources.responseMetric, { untelling }),
  "get metric, report": shown("map", resources.reportMetric, { untelling }),
  "get response metadata": metadata,
  "v2 survey list": surveyList,
  "v2 survey": survey,
  "v2 questions": questions,
  "v2 responses": records,
  "v2 responses, page": records,
  "v2 response metadata": metadata,
};
type Documents = typeof documents;

/** The operations whose body the document shows. */
export type Documented = keyof Documents;

/** Those of them whose body has this form. */
export type OperationOf<F extends Form> = {
  [O in Documented]: Documents[O]["form"] extends F ? O : never;
}[Documented];

/** What is read of the body of an operation. */
export type BodyOf<O extends Documented> = {
  [Each in Documented]: {
    list: Of<Documents[Each]["element"]>[];
    one: Of<Documents[Each]["element"]>;
    map: Record<string, Of<Documents[Each]["element"]>>;
  }[Documents[Each]["form"]];
}[O];

/** The ids in which the body of any operation repeats what was asked for. Of one response the document shows no more than that. */
export function repeatsOf(operation: Operation): readonly ("surveyId" | "responseId")[] {
  if (/ response by /.test(operation)) return ["surveyId", "responseId"];
  return operation in documents ? documents[operation as keyof Documents].repeats : [];
}
