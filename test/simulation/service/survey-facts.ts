import { mix } from "../engine/random.ts";
import type { Definition, Edition, Json, SimSurvey } from "./survey-model.ts";

/** How often a survey was edited until a moment (epoch milliseconds). */
export function editionAt({ editions }: SimSurvey, at: number): number {
  return Math.max(
    0,
    editions.findLastIndex(({ from }) => from <= at),
  );
}

/** The edition that a question or a label is of. */
export function editionOf(text: string): number {
  const [, next = 1] = / \((\d+)\)$/.exec(text) ?? [];
  return Number(next) - 1;
}

/** The element of the survey list: its language is not always known. */
export function listedItem({ id, model }: SimSurvey): Json {
  const answer = model.answer({ operation: "surveys", parameters: {} });
  const [item] = (answer as { body: [Json] }).body;
  return id % 3 === 0 ? { ...item, languageId: null } : item;
}

/** A survey as its service has it from now on: one question in twelve is taken out of each edition. */
export function editionNow(survey: SimSurvey, from: number): Edition {
  const { id, model, editions } = survey;
  const { name, modified, languageId } = listedItem(survey);
  const answer = model.answer({ operation: "survey", parameters: { survey: String(id) } });
  const [definition] = (answer as { body: [Definition] }).body;
  const left = Object.entries(definition.questionsById).filter(
    ([questionId]) => mix(mix(id, editions.length), Number(questionId)) % 12 > 0,
  );
  return {
    from,
    facts: { name, modified, languageId },
    definition: { ...definition, questionsById: Object.fromEntries(left) },
  };
}

/** The definition by now, in HTML or not, and with more or less said of how choices are numbered. */
export function definitionShown({ words, editions }: SimSurvey): object {
  const { evidence, isHtml, base } = words;
  const shown = (text: string): string => (isHtml ? inHtml(text) : text);
  const { definition } = editions.at(-1) as Edition;
  const questions = Object.values(definition.questionsById).map((question, place) => {
    const { question: text, answers } = question.params;
    const first = evidence === "contradictory" ? place % 2 : base;
    const scores = Object.fromEntries(answers.map((_, choice) => [String(choice + first), String(choice)]));
    const params = {
      ...question.params,
      question: shown(text),
      answers: answers.map(shown),
      scoreArray: evidence === "untold" ? [] : { ...scores, max: String(Math.max(0, answers.length - 1)) },
    };
    return { ...question, params };
  });
  return { ...definition, questionsById: Object.fromEntries(questions.map((one) => [one.questionId, one])) };
}

function inHtml(text: string): string {
  const [first = "", ...rest] = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").split(" ");
  return `<p><b>${first}</b>${rest.map((word) => `&nbsp;${word}`).join("")}<br></p>`;
}
