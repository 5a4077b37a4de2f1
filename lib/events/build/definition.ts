import { isObject, readId } from "../../json.ts";
import { isInteger, isText } from "./fields.ts";
import { plainText } from "./plain-text.ts";
import { shortened } from "./survey.ts";

/** The questions of a survey as far as events need them, as plain data: it is kept. */
export interface SurveyDefinition {
  /** `modified` of the survey, as the definition itself has it. */
  modified: string | null;
  /** By what number answers name the first choice. It is not documented: see `indexBaseOf`. */
  indexBase: 0 | 1 | "unknown" | "contradictory";
  /** By question id. */
  questions: Record<string, DefinedQuestion>;
}

export interface DefinedQuestion {
  number: number | null;
  type: string | null;
  text: string | null;
  /** Null where they are not as documented. */
  choices: string[] | null;
  /** Texts of the answers that it offers beside them: "Other" (`open`) and "none of the above". Which number these have is not documented. */
  others: string[];
  /** Whether it has columns, as a matrix has: its answers are numbers of these. */
  isMatrix: boolean;
}

/** Reads the questions of a whole survey (operation 3, section 2.2); undefined where they are not to be found in it. */
export function readDefinition(survey: object): SurveyDefinition | undefined {
  const { modified, questionsById } = survey as Record<string, unknown>;
  // PHP writes a map as a list where its keys allow it.
  if (typeof questionsById !== "object" || questionsById === null) return undefined;
  const params: Record<string, unknown>[] = [];
  const questions: SurveyDefinition["questions"] = {};
  for (const [key, question] of Object.entries(questionsById)) {
    const id = readId(isObject(question) ? question.questionId : undefined) ?? readId(key);
    if (!isObject(question) || id === undefined) continue;
    const param = isObject(question.params) ? question.params : {};
    params.push(param);
    questions[id] = {
      number: isInteger(question.number) ? question.number : null,
      type: isText(question.type) ? shortened(question.type) : null,
      text: isText(param.question) ? textOf(param.question) : null,
      choices: choicesOf(param)?.map(textOf) ?? null,
      others: othersOf(param).map(textOf),
      isMatrix: (readId(param.columnElements) ?? 0) > 1,
    };
  }
  return { modified: isText(modified) ? modified : null, indexBase: indexBaseOf(params), questions };
}

const textOf = (html: string): string => shortened(plainText(html));

function choicesOf({ answers }: Record<string, unknown>): string[] | undefined {
  return Array.isArray(answers) && answers.every(isText) ? answers : undefined;
}

function othersOf({ open, noneAbove }: Record<string, unknown>): string[] {
  return [open, noneAbove].filter(isText).filter((text) => text !== "");
}

/**
 * The keys of `scoreArray` are indexes of answers. A key "0" says that they count from 0. A key that is the number of answers says that
 * they count from 1, unless the question has one more answer that is not in the list. Where questions of one survey say both, nothing is
 * certain.
 */
function indexBaseOf(params: Record<string, unknown>[]): SurveyDefinition["indexBase"] {
  let [fromZero, fromOne] = [false, false];
  for (const param of params) {
    const count = choicesOf(param)?.length ?? 0;
    if (count === 0 || !isObject(param.scoreArray)) continue;
    fromZero ||= "0" in param.scoreArray;
    fromOne ||= String(count) in param.scoreArray && othersOf(param).length === 0;
  }
  if (fromZero && fromOne) return "contradictory";
  return fromZero ? 0 : fromOne ? 1 : "unknown";
}
