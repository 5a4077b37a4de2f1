import { dateTimeString } from "./dates.ts";
import { hash32, hashFraction } from "./hashing.ts";
import { maxRecords, recordRange, type Settings } from "./settings.ts";
import {
  questionAt,
  type SimulatedQuestion,
  type SurveyQuestions,
  someWords,
  textOfBytes,
} from "./survey-questions.ts";

/** One record as it is listed; a plain object, since a test may patch any field into anything. */
export type ListedRecord = Record<string, unknown>;

/** The answer of operation 11 or 13 for one response, when not that of the settings. */
type EnrichmentOverride =
  | { body: unknown }
  /** 404, on the first `reads` reads or (default) for ever. */
  | { absent: "404"; reads?: number }
  /** The next `fail` reads answer 500. */
  | { fail: number };

/** Everything a test may say about one response. */
export interface ResponseOverrides {
  /** An id of the test's choice, for instance below those already listed. */
  responseId: number;
  /** Epoch milliseconds. */
  startedAt: number;
  completedAt: number;
  /** Records before repeats; 0: a response that is never listed. */
  records: number;
  /** Bytes of each comment. */
  commentBytes: number;
  /** Adds `copies` records to the question of record `slot` (default 0), with equal or with other answers. */
  repeat: { copies: number; identical: boolean; slot?: number };
  crk: string | null;
  /** Fields put over each record, verbatim (undefined leaves a field out), or computed from it. */
  patch: ListedRecord | ((record: ListedRecord, slot: number) => ListedRecord);
  metrics: EnrichmentOverride;
  metadata: EnrichmentOverride;
}

export type Overrides = Partial<ResponseOverrides>;

/** A response: what the service knows of it, before any question of how it is shown. Instants are epoch milliseconds. */
export interface SimulatedResponse {
  readonly responseId: number;
  readonly startedAt: number;
  /** null while it is open. */
  readonly completedAt: number | null;
  /** Records it is listed with, repeats included. */
  readonly records: number;
  /** Grows with each edit of its answers. */
  readonly revision: number;
  readonly overrides: Overrides;
}

/** Records of a response of which nothing is said. */
export function drawnRecords(seed: number, responseId: number, settings: Settings): number {
  const [least, most] = recordRange(settings);
  return least + (hash32(seed, responseId, 1) % (most - least + 1));
}

/** With its repeats. Throws a RangeError when it would have more records than `maxRecords`. */
export function recordCount(records: number, { repeat }: Overrides): number {
  const count = records + (repeat?.copies ?? 0);
  if (!(count >= 0 && count <= maxRecords)) throw new RangeError(`a response has at most ${maxRecords} records`);
  return count;
}

/** Which records of a response belong to one question: `copies` of record `slot`, right after it. */
export function repeatOf({ overrides, records }: SimulatedResponse) {
  const { copies, identical, slot = 0 } = overrides.repeat ?? { copies: 0, identical: true };
  return { copies, identical, slot: Math.min(slot, records - copies - 1) };
}

/** The key by which operation 10 finds a response. About a third have one; null for one that has none. */
export function crkOf(seed: number, response: SimulatedResponse): string | null {
  if (response.overrides.crk !== undefined) return response.overrides.crk;
  const mark = hash32(seed, response.responseId, 4);
  return mark % 3 !== 0 ? null : `${response.responseId.toString(36)}-${mark.toString(36)}`;
}

/**
 * Where record `slot` of a response comes from: the record whose question it shares, and which repeat of it it is. The row of the record itself
 * and of identical repeats is 0.
 */
function recordSlot(response: SimulatedResponse, slot: number): { source: number; row: number } {
  const repeat = repeatOf(response);
  if (slot <= repeat.slot) return { source: slot, row: 0 };
  if (slot > repeat.slot + repeat.copies) return { source: slot - repeat.copies, row: 0 };
  return { source: repeat.slot, row: repeat.identical ? 0 : slot - repeat.slot };
}

/**
 * The question (0-based position in the survey) that record `slot` answers. A response answers some of the questions, ascending. Only one
 * with more records than there are questions has several for each.
 */
export function questionIndex(seed: number, response: SimulatedResponse, slot: number, questions: number): number {
  const own = response.records - repeatOf(response).copies;
  const { source } = recordSlot(response, slot);
  const shift = own <= questions ? hashFraction(seed, response.responseId, 30) : 0;
  return Math.min(questions - 1, Math.floor(((source + shift) * questions) / own));
}

// Ids of a survey's first responses are 1 to 3 apart, since the account's other surveys take numbers too.
const idStep = 3;

/** The responses a survey begins with; instants are epoch milliseconds. */
interface FirstResponses {
  seed: number;
  firstId: number;
  responses: number;
  open: number;
  completedFrom: number;
  completedTo: number;
  settings: Settings;
}

/** The first id that is free after them. */
export const idAfter = ({ firstId, responses, open }: FirstResponses): number => firstId + (responses + open) * idStep;

/** They follow from the seed, ids ascending. The open ones lie evenly among the others, so that some are old. */
export function firstResponses(spec: FirstResponses): SimulatedResponse[] {
  const { seed, firstId, open, settings } = spec;
  const count = spec.responses + open;
  const from = Math.ceil(spec.completedFrom / 1000);
  const to = Math.max(from, Math.floor(spec.completedTo / 1000));
  return Array.from({ length: count }, (_, place) => {
    const responseId = firstId + place * idStep + (hash32(seed, place, 10) % idStep);
    const isOpen = Math.floor(((place + 1) * open) / count) > Math.floor((place * open) / count);
    const started = from + Math.floor(((place + hashFraction(seed, place, 11)) / count) * (to - from));
    const wanted = started + durationSeconds(seed, responseId);
    const completed = wanted <= to ? wanted : started + Math.floor(hashFraction(seed, place, 12) * (to - started + 1));
    return {
      responseId,
      startedAt: started * 1000,
      completedAt: isOpen ? null : completed * 1000,
      records: drawnRecords(seed, responseId, settings),
      revision: 0,
      overrides: {},
    };
  });
}

/** Mostly a quarter of an hour, sometimes a day, rarely a week: completions come late and out of order. */
export function durationSeconds(seed: number, responseId: number): number {
  const kind = hashFraction(seed, responseId, 13);
  const part = hashFraction(seed, responseId, 14);
  if (kind < 0.9) return 60 + Math.floor(part * 840);
  if (kind < 0.98) return 3600 + Math.floor(part * 82_800);
  return 86_400 + Math.floor(part * 518_400);
}

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
