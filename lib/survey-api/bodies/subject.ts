import { type AboutAnswer, AnswerMismatchError } from "../errors.ts";
import { asArray } from "./array.ts";
import { isObject, readId } from "./json.ts";

/** What a request named, as far as answers repeat it. */
export interface Asked {
  surveyId?: number;
  responseId?: number;
}

/** Levels of empty lists and objects within each other that are looked into. */
const MOST_NESTED = 3;

/** Whether a body holds nothing at all: `null`, `[]`, `{}`, or these within each other, as services write an empty map in a list. */
export function saysNothing(body: unknown, levels = MOST_NESTED): boolean {
  if (body === null) return true;
  if (levels === 0 || typeof body !== "object") return false;
  return Object.values(body as object).every((item) => Array.isArray(body) && saysNothing(item, levels - 1));
}

/**
 * The part of a body that is about what was asked for (R3). Of several elements it keeps those that name the response. A
 * body that names no response is taken as it is, and so is a record without a `surveyId`.
 *
 * @throws AnswerMismatchError when an element names another survey, or when elements name other responses and none names this one
 */
export function aboutAsked(body: unknown, { surveyId, responseId }: Asked, about: AboutAnswer): unknown {
  const elements = asArray(body) ?? [body];
  const isOther = (element: unknown, name: "surveyId" | "responseId", asked: number | undefined): boolean => {
    const named = isObject(element) ? readId(element[name]) : undefined;
    // Zero names nothing.
    return asked !== undefined && named !== undefined && named > 0 && named !== asked;
  };
  if (elements.some((element) => isOther(element, "surveyId", surveyId))) throw mismatch("survey", about);
  if (!elements.some((element) => isOther(element, "responseId", responseId))) return body;
  const own = elements.filter((element) => isObject(element) && readId(element.responseId) === responseId);
  if (own.length === 0) throw mismatch("response", about);
  return own;
}

function mismatch(what: "survey" | "response", about: AboutAnswer): AnswerMismatchError {
  return new AnswerMismatchError(`the answer is about another ${what} than the one that was asked for`, {
    ...about,
    retryable: true,
    hint: "A cache or a proxy before the service may mix answers up; check `baseUrl`, and ask the service's operator.",
  });
}
