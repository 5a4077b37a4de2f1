import type { Answer, ResponseCompleted } from "../../../lib/events/index.ts";
import { unsigned } from "../service/rereads.ts";
import type { Json, SimResponse, Version } from "../service/survey-model.ts";

// Contents are compared by what the service said: an irregular field by what stands under `raw`. All of it is of one moment but
// the texts of comments, which may read differently each time: each is one that its record had at some moment.

const truths = new WeakMap<Version, Map<boolean, string>>();

/** The answers of a version as one text, whatever the order of its records. */
export function answersOf(version: Version, dropComments: boolean): string {
  const texts = truths.get(version) ?? new Map<boolean, string>();
  truths.set(version, texts);
  let text = texts.get(dropComments);
  if (text === undefined) {
    text = joined(version.records.map((record) => truthKey(record, dropComments)));
    texts.set(dropComments, text);
  }
  return text;
}

function truthKey(record: Json, dropComments: boolean): string {
  const { questionId, answer, comment, score, matrixScore } = record;
  return JSON.stringify([questionId, answer, dropComments ? "" : withoutText(comment), score, matrixScore]);
}

/** The answers of an event in the same form. */
export function eventAnswers(answers: Answer[]): string {
  return joined(answers.map(eventKey));
}

const joined = (keys: string[]): string => keys.sort().join("\n");

function eventKey(answer: Answer): string {
  const read = { ...answer, ...answer.raw };
  return JSON.stringify([read.questionId, read.answer, withoutText(read.comment), read.score, read.matrixScore]);
}

/** Of the text of a comment only that there is one. */
const withoutText = (comment: unknown): unknown => (typeof comment === "string" && comment !== "" ? true : comment);

export function wrongComments({ versions }: SimResponse, answers: Answer[]): string | undefined {
  const had = (answer: Answer): boolean =>
    versions.some(({ records }) =>
      records.some(
        ({ questionId, comment }) => questionId === answer.questionId && comment === unsigned(answer.comment),
      ),
    );
  const isWrong = answers.some((answer) => answer.comment !== "" && answer.raw === undefined && !had(answer));
  return isWrong ? "a comment is none that its record ever had" : undefined;
}

/** What an event cannot be blamed for. */
export interface Leeway {
  /** Answers that are not those of records. */
  extra: number;
  /** Whether it may tell any of the dates of completion that its records tell, instead of the newest. */
  anyDate: boolean;
}

/** What is wrong with the fields of the response as a whole; undefined when nothing is. */
export function wrongFields(
  { data, meta }: ResponseCompleted,
  version: Version,
  { extra, anyDate }: Leeway,
): string | undefined {
  const [first] = version.records;
  if (first === undefined) return "there is no record";
  const dates = version.records.map(({ dateCompleted }) => dateCompleted).filter((date) => typeof date === "string");
  const { response, answers } = data;
  const { local } = response.completed;
  const expected = {
    country: first.iso3166,
    crk: first.crk,
    promoCode: first.promoCode,
    started: first.dateStart,
    completed: anyDate && local !== null && dates.includes(local) ? local : (dates.sort().at(-1) ?? null),
    answerCount: version.records.length + extra,
    hasComment: answers.some(({ comment }) => comment !== ""),
  };
  const actual = {
    country: response.country,
    crk: response.crk,
    promoCode: response.promoCode,
    started: response.started.local,
    completed: response.completed.local,
    answerCount: response.answerCount,
    hasComment: response.hasComment,
  };
  const [was, is] = [JSON.stringify(expected), JSON.stringify(actual)];
  if (was !== is) return `${is} instead of ${was}`;
  const odd = answers.some(({ raw }) => raw !== undefined);
  return odd && meta.irregular.length === 0 ? "irregular fields are not named" : undefined;
}
