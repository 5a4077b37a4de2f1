import { credible } from "../../events/build/date-string.ts";
import { isInteger } from "../../events/build/fields.ts";
import { completedAt, isFull, type Page, type Run, startedAt } from "../../polling/index.ts";
import type { Question, Seen } from "./findings.ts";

/** One read of a page: what it holds, or what was answered in its place. */
export type PageAnswer = { kind: "page"; page: Page } | { kind: "none"; answer: string };

const countOf = (runs: readonly Run[]): number => new Set(runs.map(({ responseId }) => responseId)).size;

const isApart = ({ runs }: Page): boolean => countOf(runs) < runs.length;

/** Undefined where it cannot be read. */
export const isCompleted = ({ records }: Run): boolean | undefined => records[0]?.completed;

/** Dates of a response; null where they cannot be relied upon. */
export function datesOf(run: Run, now: number): { dateStart: string | null; dateCompleted: string | null } {
  const orNull = (date: string | null): string | null => (date !== null && credible(date, now) ? date : null);
  return {
    dateStart: orNull(startedAt(run)),
    dateCompleted: isCompleted(run) === true ? orNull(completedAt(run)) : null,
  };
}

const KEYS = ["responseId", "dateStart", "dateCompleted"] as const;
type Key = (typeof KEYS)[number];

/** Responses that stand in some order by chance alone are fewer. */
const LEAST = 6;

/** Undefined where nothing tells. */
type Order = keyof typeof SAID_OF | undefined;
const SAID_OF = {
  obeyed: "asc begins with the oldest, desc with the newest",
  turned: "asc begins with the newest, desc with the oldest",
  ignored: "asc and desc begin with the same page",
};

/** Operation 8: by what the list is sorted, and whether it does as it is asked, by the first pages of both orders. */
export function sortSeen({ asc, desc }: Record<"asc" | "desc", Page>, now: number): Partial<Record<Question, Seen>> {
  const pages = [asc, desc];
  if (pages.some(isApart)) {
    const apart = "the records of a response stand apart";
    const held = `${apart}: contents come from operation 9, or are held`;
    return { "records together": ["no", held], "sort key": apart, order: apart };
  }
  const several = pages.some(({ runs }) => runs.length > 1 && runs.some(({ records }) => records.length > 1));
  const order = orderOf(asc, desc, now);
  return {
    "records together": several
      ? ["yes", "the records of a response stand together on the pages that were read"]
      : "no response with several records beside another one",
    "sort key": keySeen(asc, desc, order, now),
    order: order === undefined ? "nothing tells the one end of the list from the other" : [order, SAID_OF[order]],
  };
}

function orderOf(asc: Page, desc: Page, now: number): Order {
  if (countOf([...asc.runs, ...desc.runs]) < LEAST) return undefined;
  const idsOf = ({ runs }: Page): string => runs.map(({ responseId }) => responseId).join();
  if (idsOf(asc) === idsOf(desc)) return "ignored";
  const isSortedBy = (lists: Run[][]): boolean => KEYS.some((key) => judge(key, lists, now) === "sorted");
  if (isSortedBy([asc.runs, desc.runs.toReversed()])) return "obeyed";
  return isSortedBy([asc.runs.toReversed(), desc.runs]) ? "turned" : undefined;
}

function keySeen(asc: Page, desc: Page, order: Order, now: number): Seen {
  const count = countOf([...asc.runs, ...desc.runs]);
  if (count < LEAST) return `${count} responses are too few`;
  const [up, down] = order === "turned" ? [desc, asc] : [asc, desc];
  const lists = order === "ignored" ? [up.runs] : [up.runs, down.runs.toReversed()];
  const keysThatAre = (what: Judgement): Key[] => KEYS.filter((key) => judge(key, lists, now) === what);
  const [sorted, unknown] = [keysThatAre("sorted"), keysThatAre("too few")];
  const [one, ...others] = [...sorted, ...unknown];
  const sample = `the ${count} responses on the first pages of both orders`;
  if (one === undefined)
    return ["other", `${sample} are sorted neither by responseId nor by dateStart or dateCompleted; no step needs it`];
  if (sorted.length === 0) return `${sample} have too few dates`;
  if (others.length === 0) return [one, `${sample} are sorted by ${one}, and by nothing else`];
  return `${sample} are sorted by ${[one, ...others].join(" and by ")} alike`;
}

type Judgement = "sorted" | "unsorted" | "too few";

/** Whether these parts of a list go upwards by a key. Open responses have no date of completion. */
function judge(key: Key, parts: readonly (readonly Run[])[], now: number): Judgement {
  const keyOf = (run: Run): string | number | null => (key === "responseId" ? run.responseId : datesOf(run, now)[key]);
  const values = parts.map((runs) => runs.flatMap((run) => keyOf(run) ?? []));
  if (values.some((part) => part.some((value, i) => value < (part[i - 1] ?? value)))) return "unsorted";
  return new Set(values.flat()).size < LEAST ? "too few" : "sorted";
}

export function openSeen(pages: readonly Page[]): Seen {
  const runs = pages.flatMap((page) => page.runs);
  return runs.some((run) => isCompleted(run) === false)
    ? ["listed", "open responses are listed too"]
    : `of ${countOf(runs)} responses none is open`;
}

type Counted = { row: Record<string, unknown>; page: Page };

const OPEN_QUESTION = "completed or all";

/** The meaning of a count of the survey list, by surveys whose lists were read whole. */
export function countSeen(surveys: readonly Counted[], field: string): Seen {
  const said = surveys.map((survey) => meaningOf(survey, field)).filter((seen) => seen !== undefined);
  // A survey with open responses tells more than one without.
  return said.find(([found]) => found !== OPEN_QUESTION) ?? said[0] ?? "no list was read whole, on one page";
}

function meaningOf({ row, page }: Counted, field: string): Seen | undefined {
  const count = row[field];
  if (!isInteger(count) || page.runs.length === 0) return undefined;
  const countWhere = (is: boolean): number => countOf(page.runs.filter((run) => isCompleted(run) === is));
  const [completed, open] = [countWhere(true), countWhere(false)];
  const of = `${count} where ${completed} completed and ${open} open ones are listed`;
  if (count === 0) return ["zero", of];
  if (open === 0 && count === completed) return [OPEN_QUESTION, `${of}: whether open ones count is not seen`];
  if (count === completed) return ["completed", of];
  if (count === completed + open) return ["all", of];
  return count > completed + open
    ? ["more than are listed", `${of}: others count too, such as open ones`]
    : ["fewer than are listed", `${of}: it lags behind, or counts some alone`];
}

/** Pages that are read to find the end, after the first one. */
const MOST_READS = 10;

/**
 * The answer of a page past the last one. The pages are doubled until one is past it, or not full. So a list of a thousand pages takes ten
 * reads.
 *
 * @param read operation 8 in one order
 */
export async function endSeen(first: Page, read: (page: number) => Promise<PageAnswer>): Promise<Seen> {
  let [before, number] = [first, 1];
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    number = isFull(before) ? number * 2 : number + 1;
    const answer = await read(number);
    if (answer.kind === "none") return [answer.answer, `page ${number}, which is past the end: ${answer.answer}`];
    const { page } = answer;
    const found = isFull(first) ? "first page again" : "only page again";
    if (page.signature === first.signature) return [found, `page ${number} is the first page again`];
    if (page.signature === before.signature) return ["last page again", `page ${number} is the last page again`];
    before = page;
  }
  return "the list has more pages than were looked at";
}

/** The response of which most is known: all its records are on these pages, and they are several. */
export function wellKnown(pages: readonly Page[]): Run | undefined {
  const whole = pages
    .filter((page) => !isApart(page))
    .flatMap((page) => page.runs.filter((_, i) => !isFull(page) || (i > 0 && i < page.runs.length - 1)));
  return whole.filter((run) => isCompleted(run) === true).toSorted((a, b) => b.records.length - a.records.length)[0];
}

/** The answer of operation 9, compared with what the list has of the same response. */
export function singleSeen({ records, raw }: { records: readonly object[]; raw: unknown }, run: Run): Seen {
  const listed = run.records.length;
  if (listed === 1) return "no response of several records was met";
  const questionsOf = (some: readonly unknown[]): string =>
    JSON.stringify(some.map((one) => String((one as { questionId?: unknown }).questionId)).sort());
  const counts = `${records.length} of ${listed} records, as ${Array.isArray(raw) ? "an array" : "an object"}`;
  if (questionsOf(records) === questionsOf(run.records.map((record) => record.raw))) return ["all records", counts];
  return records.length === 1
    ? ["one record", `${counts}: it proves nothing`]
    : ["other records", `${counts}, and not those of the list`];
}
