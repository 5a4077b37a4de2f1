import { isObject, readId } from "../../json.ts";
import type { BareAnswer, Metadata, Metric, Moment } from "../response-completed.ts";
import {
  isFlag,
  isInteger,
  isIntegerOrNull,
  isIntegers,
  isNumber,
  isNumberOrNull,
  isText,
  isTextOrNull,
  type Read,
  readFields,
} from "./fields.ts";
import { toMoment } from "./local-time.ts";

/** The documented fields of a record that are the answer's own (2.4). */
const ANSWER = { questionId: isInteger, answer: isIntegers, comment: isText, score: isNumberOrNull };

/** The answer in one response record (2.4), and the undocumented fields that are its own. */
export function readAnswer(record: unknown, extra?: Record<string, unknown>): Read<BareAnswer> {
  const own = isObject(record) ? record : {};
  // There a field by our own name is no more than any other.
  const { taken, raw, irregular } = readFields(withoutRaw(own), ANSWER);
  const value: BareAnswer = {
    questionId: taken.questionId ?? readId(own.questionId) ?? null,
    answer: taken.answer ?? [],
    comment: taken.comment ?? "",
    score: taken.score,
    matrixScore: own.matrixScore ?? null,
  };
  // Extra last of all: in the order of answers it decides nothing that the documented fields have decided.
  return { value: { ...withRaw(value, raw), ...(extra && { extra }) }, irregular };
}

/** The facts that are the same on all records of a response. */
export interface ResponseFacts {
  country: string | null;
  crk: string | null;
  promoCode: string | null;
  started: Moment;
  completed: Moment;
  raw?: Record<string, unknown>;
}

/** The facts in which the records of a response tell of it as a whole. */
export function readResponse(records: unknown[], timeZone: string | undefined): Read<ResponseFacts> {
  const irregular: string[] = [];
  const raw: Record<string, unknown> = {};
  const values = (name: string): unknown[] => records.map((record) => (isObject(record) ? record[name] : undefined));
  const note = (name: string, value: unknown): void => {
    irregular.push(name);
    if (value !== undefined) raw[name] = value;
  };
  /** The largest text among the records: where they differ, the newest is the latest state. */
  const newest = (name: string): string | null => {
    const all = values(name);
    const odd = leastOf(all.filter((value) => !isTextOrNull(value)));
    if (odd !== undefined || all.includes(undefined)) note(name, odd);
    return all.filter(isText).reduce<string | null>((most, text) => (most === null || text > most ? text : most), null);
  };
  /** The same whatever the order of the records: where they differ, the first in the order of their JSON. */
  const first = (name: string): unknown =>
    leastOf(values(name).filter((value) => value !== null && value !== undefined)) ?? null;

  const text = (name: string): string | null => {
    const value = first(name);
    if (isTextOrNull(value)) return value;
    note(name, value);
    return null;
  };
  // Quoted numbers are understood; they are not as documented all the same.
  for (const name of ["responseId", "completed"]) {
    const odd = leastOf(values(name).filter((value) => !isInteger(value)));
    if (odd !== undefined) note(name, odd);
  }
  if (new Set(values("completed").map(String)).size > 1) note("completed", undefined);
  const value = {
    country: text("iso3166"),
    crk: text("crk"),
    promoCode: text("promoCode"),
    started: toMoment(newest("dateStart"), timeZone),
    completed: toMoment(newest("dateCompleted"), timeZone),
  };
  return { value: withRaw(value, raw), irregular };
}

/** The first in the order of their JSON; undefined when there are none. */
function leastOf(values: unknown[]): unknown {
  const text = (value: unknown): string => JSON.stringify(value) ?? "";
  // Mostly all are the same.
  const isLess = (value: unknown, least: unknown): boolean => value !== least && text(value) < text(least);
  return values.reduce((least, value, i) => (i === 0 || isLess(value, least) ? value : least), undefined);
}

/** The documented fields of a metric (2.6), and of its score. */
const METRIC = {
  metricId: isInteger,
  surveyId: isInteger,
  metricName: isText,
  presentation: isText,
  maxValueIncludingEmptyAnswer: isNumber,
  testMode: isInteger,
  firstLevelThreshold: isNumberOrNull,
  secondLevelThreshold: isNumberOrNull,
  created: isText,
  score: isObject,
};
const SCORE = { pointsSum: isNumber, maxPointsSum: isNumber, minPointsSum: isNumber, nps: isFlag };
/** Those that an error does not have as well: what has none of them is no metric. */
const TELLING = Object.keys(METRIC).filter((name) => name !== "surveyId" && name !== "created");

/** The documented fields of metadata (2.5). */
const METADATA = {
  responseId: isInteger,
  ip: isText,
  referrer: isTextOrNull,
  iso3166: isText,
  languageId: isIntegerOrNull,
  languageName: isTextOrNull,
  languageSymbol: isTextOrNull,
  deviceType: isText,
  deviceTypeName: isText,
  os: isText,
  browser: isText,
};

/** Metrics of operation 11 by key (2.6), sorted by metricId; a list of them, by position, is not as documented. Undefined when there are none. */
export function readMetrics(read: unknown): Read<Metric[]> | undefined {
  // fault: metric-list-is-none
  if (typeof read !== "object" || read === null) return undefined;
  const metrics: Metric[] = [];
  const irregular = Array.isArray(read) ? ["metrics"] : [];
  for (const [key, value] of Object.entries(read)) {
    if (!isObject(value) || !TELLING.some((name) => name in value)) {
      irregular.push(`metrics.${key}`);
      continue;
    }
    const fields = readFields(value, METRIC);
    const score = readFields(value.score, SCORE);
    const metric = { ...withoutRaw(value), key, ...fields.taken, score: { ...fields.taken.score, ...score.taken } };
    metrics.push(withRaw(metric, { ...fields.raw, ...(Object.keys(score.raw).length > 0 && { score: score.raw }) }));
    const names = [...fields.irregular, ...score.irregular.map((name) => `score.${name}`)];
    irregular.push(...names.map((name) => `metrics.${key}.${name}`));
  }
  metrics.sort((a, b) => (a.metricId ?? Number(a.key)) - (b.metricId ?? Number(b.key)) || compare(a.key, b.key));
  return { value: metrics, irregular };
}

/** Metadata of operation 13 (2.5): one object; undefined when there is none. */
export function readMetadata(item: unknown): Read<Metadata> | undefined {
  if (!isObject(item)) return undefined;
  const { taken, raw, irregular } = readFields(item, METADATA);
  const value: Metadata = withRaw({ ...withoutRaw(item), ...taken }, raw);
  return { value, irregular: irregular.map((name) => `metadata.${name}`) };
}

/** `raw` is our own word: a field of the service by that name would be taken for it. */
function withoutRaw(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!("raw" in fields)) return fields;
  const { raw: _, ...others } = fields;
  return others;
}

/** The order of a response's answers is the same whichever way its pages were read. */
export function sortAnswers(answers: Read<BareAnswer>[]): Read<BareAnswer>[] {
  const text = ({ value }: Read<BareAnswer>): string => JSON.stringify(value);
  const id = ({ value }: Read<BareAnswer>): number => value.questionId ?? -1;
  return answers.toSorted((a, b) => id(a) - id(b) || compare(text(a), text(b)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function withRaw<T extends object>(value: T, raw: Record<string, unknown>): T {
  return Object.keys(raw).length === 0 ? value : { ...value, raw };
}
