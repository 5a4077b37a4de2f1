import { dateTimeString } from "./dates.ts";
import { hash32, hashFraction } from "./hashing.ts";
import { crkOf, type ListedRecord, questionIndex, recordSlot, type SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import {
  questionAt,
  type SimulatedQuestion,
  type SurveyQuestions,
  someWords,
  textOfBytes,
} from "./survey-questions.ts";

const countries = ["PL", "PL", "PL", "DE", "CZ", "GB", "US"];

/** The country of a response, equal in its records and in its metadata. */
export function countryOf(seed: number, response: SimulatedResponse): string {
  return countries[hash32(seed, response.responseId, 50) % countries.length] ?? "PL";
}

/** What was built already, by settings and response: records do not change, and many reads show the same ones. */
const built = new WeakMap<Settings, WeakMap<SimulatedResponse, ListedRecord[]>>();

/** Record `slot` of a response (section 2.4 of the API document), with its overrides. It is not to be changed. */
export function recordAt(
  survey: SurveyQuestions,
  response: SimulatedResponse,
  slot: number,
  settings: Settings,
): ListedRecord {
  const responses = built.get(settings) ?? new WeakMap<SimulatedResponse, ListedRecord[]>();
  built.set(settings, responses);
  const records = responses.get(response) ?? [];
  responses.set(response, records);
  const record = records[slot] ?? Object.freeze(buildRecord(survey, response, slot, settings));
  records[slot] = record;
  return record;
}

function buildRecord(
  survey: SurveyQuestions,
  response: SimulatedResponse,
  slot: number,
  settings: Settings,
): ListedRecord {
  const { seed, surveyId } = survey;
  const { overrides } = response;
  const { source, row } = recordSlot(response, slot);
  const question = questionAt(survey, questionIndex(seed, response, slot, survey.questions));
  const draw = hash32(seed, response.responseId, response.revision, source, row, 51);

  const record: ListedRecord = {
    responseId: response.responseId,
    // JSON leaves out a field that is undefined.
    surveyId: settings.recordSurveyId === "present" ? surveyId : undefined,
    iso3166: countryOf(seed, response),
    crk: crkOf(seed, response),
    promoCode: null,
    completed: response.completedAt === null ? 0 : 1,
    dateStart: dateTimeString(response.startedAt, settings.zone),
    dateCompleted: completedString(response, settings),
    questionId: question.questionId,
    answer: chosenAnswers(draw, question.kind, question.answers.length).map(
      (index) => index - 1 + settings.answersFrom,
    ),
    comment: commentOf(draw, question.kind, overrides.commentBytes),
    score: question.kind === "open" ? null : hash32(draw, 3) % 11,
    matrixScore: null,
  };
  const { patch } = overrides;
  return Object.assign(record, typeof patch === "function" ? patch({ ...record }, slot) : patch);
}

/** All records of a response, its questions ascending. */
export function allRecords(survey: SurveyQuestions, response: SimulatedResponse, settings: Settings): ListedRecord[] {
  return Array.from({ length: response.records }, (_, slot) => recordAt(survey, response, slot, settings));
}

function completedString(response: SimulatedResponse, settings: Settings): string | null {
  if (response.completedAt !== null) return dateTimeString(response.completedAt, settings.zone);
  const { openDateCompleted } = settings;
  return openDateCompleted === "dateStart" ? dateTimeString(response.startedAt, settings.zone) : openDateCompleted;
}

/** About a third of the records have a short one. */
function commentOf(draw: number, kind: SimulatedQuestion["kind"], bytes: number | undefined): string {
  if (bytes !== undefined) return textOfBytes(draw, bytes);
  const hasComment = kind === "open" || hashFraction(draw, 1) < 0.3;
  return hasComment ? someWords(draw, 2 + (hash32(draw, 2) % 9)) : "";
}

function chosenAnswers(draw: number, kind: SimulatedQuestion["kind"], answers: number): number[] {
  if (kind === "open") return [];
  const first = hash32(draw, 4) % answers;
  if (kind === "single") return [first + 1];
  return Array.from({ length: answers }, (_, index) => index + 1).filter(
    (index) => index === first + 1 || hash32(draw, 5, index) % 4 === 0,
  );
}

/** Records as the `nth` answer shows them, though they have not changed. */
export function asRead(records: ListedRecord[], { rereads }: Pick<Settings, "rereads">, nth: number): ListedRecord[] {
  if (rereads === "same") return records;
  if (rereads === "readAt") return records.map((record) => ({ ...record, readAt: nth }));
  return records.map((record) => {
    const fields = Object.entries(record);
    const turn = nth % fields.length;
    return Object.fromEntries([...fields.slice(turn), ...fields.slice(0, turn)]);
  });
}
