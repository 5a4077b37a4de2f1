import { isObject } from "../../json.ts";
import { type AboutAnswer, AnswerMismatchError } from "../errors.ts";
import { repeatsOf } from "./documents.ts";
import { asArray } from "./json.ts";

/** The ids that a request named, as far as answers repeat them. */
export interface Asked {
  surveyId?: number;
  responseId?: number;
}

type Name = keyof Asked;

/**
 * The part of a body that is about what was asked for. Of several elements it keeps those that name the response. A
 * body that names no response is taken as it is, and so is a record without a `surveyId`.
 *
 * @throws AnswerMismatchError when an element names another survey, or when elements name other responses and none names this one
 */
export function aboutAsked(body: unknown, asked: Asked, about: AboutAnswer): unknown {
  const repeats = repeatsOf(about.operation);
  const elements = asArray(body) ?? [body];
  const idsOf = (name: Name): (string | undefined)[] =>
    repeats.includes(name) && asked[name] !== undefined ? elements.map((element) => idIn(element, name)) : [];
  const isOther = (id: string | undefined, name: Name): boolean => id !== undefined && id !== String(asked[name]);
  // fault: other-page-taken
  if (idsOf("surveyId").some((id) => isOther(id, "surveyId"))) throw mismatch("survey", about);
  const responses = idsOf("responseId");
  const own = elements.filter((_, i) => responses[i] === String(asked.responseId));
  // fault: other-metadata-taken
  if (own.length === 0 && responses.some((id) => isOther(id, "responseId"))) throw mismatch("response", about);
  // fault: first-metadata-taken
  return own.length === 0 || own.length === elements.length ? body : own;
}

/** The digits of an id of any length. Zero names nothing, nor does what is no whole number. */
function idIn(element: unknown, name: Name): string | undefined {
  const value = isObject(element) ? element[name] : undefined;
  return /^0*([1-9]\d*)$/.exec(typeof value === "string" || typeof value === "number" ? String(value) : "")?.[1];
}

function mismatch(what: "survey" | "response", about: AboutAnswer): AnswerMismatchError {
  return new AnswerMismatchError(`the answer is about another ${what} than the one that was asked for`, {
    ...about,
    retryable: true,
    hint: "A cache or a proxy before the service may mix answers up; check `baseUrl`, and ask the service's operator.",
  });
}
