import { isObject, readId } from "../../json.ts";
import type { AboutAnswer } from "../errors.ts";
import { hasOnlyDigitKeys, saysNothing } from "./json.ts";
import type { ReportListItem } from "./resources.ts";
import { type Asked, aboutAsked } from "./subject.ts";

// Bodies whose shape the API document does not show, in every shape that is plausible.

/** What was read of one response. */
export interface ReadResponse {
  /** Undefined when it was asked for by crk and the body does not show it. */
  responseId: number | undefined;
  /** As many fields of a `ResponseRecord` as the body has, each with what stands beside the answers, as every listed record repeats it. */
  records: Record<string, unknown>[];
}

/**
 * One response in the body of operation 9 or 10. It may be an array of records, a bare record, or one object that lists the answers. That
 * object may be bare, in an array, or beside its head, and its answers an array or keyed by question. Records of other responses are left
 * out. Undefined when there is no response to be found, or several without one asked for.
 *
 * @param asked without a `responseId` where it is not known beforehand (operation 10)
 * @throws AnswerMismatchError when it is another response, or one of another survey
 */
export function readSingleResponse(body: unknown, asked: Asked, about: AboutAnswer): ReadResponse | undefined {
  const found = findAnswers(body, 0);
  if (found === undefined) return undefined;
  const { responseId } = asked;
  const head = Object.fromEntries(found.head);
  const known = responseId === undefined ? {} : { responseId };
  const records = found.answers.map((answer) => ({ ...known, ...head, ...answer }));
  const named = records.length > 0 ? records : [head];
  const own = aboutAsked(named, asked, about) as Record<string, unknown>[];
  const ids = new Set(own.flatMap((record) => readId(record.responseId) ?? []));
  // An empty list is a response without answers only where something says which response it is.
  if (records.length === 0 && ids.size === 0) return undefined;
  if (responseId === undefined && ids.size > 1) return undefined;
  return { responseId: responseId ?? [...ids][0], records: records.length === 0 ? [] : own };
}

interface Found {
  answers: Record<string, unknown>[];
  /** Fields beside the answers, outer ones first. */
  head: [string, unknown][];
}

function findAnswers(value: unknown, depth: number): Found | undefined {
  if (depth > 3) return undefined;
  const items = answersIn(value);
  if (items !== undefined) return { answers: items, head: [] };
  if (Array.isArray(value)) return value.length === 1 ? findAnswers(value[0], depth + 1) : undefined;
  if (!isObject(value)) return undefined;
  const candidates = holders.flatMap((name) => {
    const field = value[name];
    const isEmpty = typeof field === "object" && field !== null && Object.keys(field).length === 0;
    const inside = isEmpty ? { answers: [], head: [] } : findAnswers(field, depth + 1);
    return inside === undefined ? [] : [{ ...inside, name }];
  });
  const chosen = candidates.find(({ answers }) => answers.length > 0) ?? candidates[0];
  if (chosen === undefined) return undefined;
  const beside = Object.entries(value).filter(([name]) => !holders.includes(name));
  const response = chosen.name !== "response" && isObject(value.response) ? Object.entries(value.response) : [];
  return { answers: chosen.answers, head: [...beside, ...response, ...chosen.head] };
}

/** Where answers may lie, the likeliest first: `questions` may as well hold the questions of the survey. */
const holders = ["answers", "records", "responses", "response", "data", "result", "questions"];

function answersIn(value: unknown): Record<string, unknown>[] | undefined {
  if (isAnswer(value)) return [value];
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return items.length > 0 && items.every(isAnswer) ? items : undefined;
}

const isAnswer = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.hasOwn(value, "questionId");

const wrappers = ["reports", "data", "result", "items", "list"];
const idNames = ["reportId", "id", "report_id"];

/** The reports of operation 5: an array of objects or of ids, a map by id, or one of these under a usual name. */
export function readReports(body: unknown): ReportListItem[] | undefined {
  if (saysNothing(body)) return [];
  const list = readList(body);
  if (list !== undefined || !isObject(body)) return list;
  return wrappers.map((name) => readList(body[name])).find((inside) => inside !== undefined);
}

function readList(value: unknown): ReportListItem[] | undefined {
  if (Array.isArray(value)) {
    const items = value.map((raw) => ({ reportId: reportIdOf(raw), raw }));
    return items.every(({ reportId, raw }) => reportId !== undefined || isObject(raw)) ? items : undefined;
  }
  if (!isObject(value) || !hasOnlyDigitKeys(value)) return undefined;
  return Object.entries(value).map(([key, raw]) => ({ reportId: reportIdOf(raw) ?? readId(key), raw }));
}

/** The id that an item shows, or the item itself where the list is one of ids. */
function reportIdOf(item: unknown): number | undefined {
  if (!isObject(item)) return readId(item);
  return idNames.map((name) => readId(item[name])).find((id) => id !== undefined);
}
