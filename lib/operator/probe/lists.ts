import { credible } from "../../events/build/date-string.ts";
import { isInteger } from "../../events/build/fields.ts";
import { completedAt, isFull, type Page, type Run, startedAt } from "../../polling/index.ts";
import { type Finding, notSeen, type PageAnswer } from "./look.ts";

// What lists of responses tell: pure, but for the reads of pages that are handed in.

/** Whether the records of some response stand apart on a page. */
function isApart({ runs }: Page): boolean {
  return new Set(runs.map(({ responseId }) => responseId)).size < runs.length;
}

/** Different responses on some pages. */
const countOf = (runs: readonly Run[]): number => new Set(runs.map(({ responseId }) => responseId)).size;

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

/** The first pages of both orders. */
export interface Ends {
  asc: Page;
  desc: Page;
}

const KEYS = ["responseId", "dateStart", "dateCompleted"] as const;
type Key = (typeof KEYS)[number];
type Order = "obeyed" | "turned" | "ignored" | undefined;

/** Responses that stand in some order by chance alone are fewer. */
const LEAST = 6;

/** Operation 8: by what the list is sorted, and whether it does as it is asked. */
export function sortFindings({ asc, desc }: Ends, now: number): Finding[] {
  const pages = [asc, desc];
  if (pages.some(isApart)) {
    const says = "the records of a response stand apart: contents come from operation 9, or are held";
    const why = "the records of a response stand apart";
    return [{ question: "records together", found: "no", says }, notSeen("sort key", why), notSeen("order", why)];
  }
  const several = pages.some(({ runs }) => runs.length > 1 && runs.some(({ records }) => records.length > 1));
  const says = "the records of a response stand together on the pages that were read";
  const together: Finding = several
    ? { question: "records together", found: "yes", says }
    : notSeen("records together", "no response with several records beside another one");
  const order = orderOf(asc, desc, now);
  const saidOf = {
    obeyed: "asc begins with the oldest, desc with the newest",
    turned: "asc begins with the newest, desc with the oldest",
    ignored: "asc and desc begin with the same page",
  };
  const found: Finding =
    order === undefined
      ? notSeen("order", "nothing tells the one end of the list from the other")
      : { question: "order", found: order, says: saidOf[order] };
  return [together, keyFinding(asc, desc, order, now), found];
}

/** Undefined where nothing tells. */
function orderOf(asc: Page, desc: Page, now: number): Order {
  if (countOf([...asc.runs, ...desc.runs]) < LEAST) return undefined;
  const idsOf = ({ runs }: Page): string => runs.map(({ responseId }) => responseId).join();
  if (idsOf(asc) === idsOf(desc)) return "ignored";
  const isSortedBy = (lists: Run[][]): boolean => KEYS.some((key) => judge(key, lists, now) === "sorted");
  if (isSortedBy([asc.runs, desc.runs.toReversed()])) return "obeyed";
  return isSortedBy([asc.runs.toReversed(), desc.runs]) ? "turned" : undefined;
}

function keyFinding(asc: Page, desc: Page, order: Order, now: number): Finding {
  const question = "sort key";
  const count = countOf([...asc.runs, ...desc.runs]);
  if (count < LEAST) return notSeen(question, `${count} responses are too few`);
  const [up, down] = order === "turned" ? [desc, asc] : [asc, desc];
  const lists = order === "ignored" ? [up.runs] : [up.runs, down.runs.toReversed()];
  const keysThatAre = (what: Judgement): Key[] => KEYS.filter((key) => judge(key, lists, now) === what);
  const [sorted, unknown] = [keysThatAre("sorted"), keysThatAre("too few")];
  const [one, ...others] = [...sorted, ...unknown];
  const sample = `the ${count} responses on the first pages of both orders`;
  if (one === undefined) {
    const says = `${sample} are sorted neither by responseId nor by dateStart or dateCompleted; no step needs it`;
    return { question, found: "other", says };
  }
  if (sorted.length === 0) return notSeen(question, `${sample} have too few dates`);
  if (others.length === 0) return { question, found: one, says: `${sample} are sorted by ${one}, and by nothing else` };
  return notSeen(question, `${sample} are sorted by ${[one, ...others].join(" and by ")} alike`);
}

type Judgement = "sorted" | "unsorted" | "too few";

/** Whether these parts of a list go upwards by a key. Open responses have no date of completion. */
function judge(key: Key, parts: readonly (readonly Run[])[], now: number): Judgement {
  const keyOf = (run: Run): string | number | null => (key === "responseId" ? run.responseId : datesOf(run, now)[key]);
  const values = parts.map((runs) => runs.flatMap((run) => keyOf(run) ?? []));
  if (values.some((part) => part.some((value, i) => value < (part[i - 1] ?? value)))) return "unsorted";
  return new Set(values.flat()).size < LEAST ? "too few" : "sorted";
}

export function openFinding(pages: readonly Page[]): Finding {
  const question = "open responses";
  const runs = pages.flatMap((page) => page.runs);
  return runs.some((run) => isCompleted(run) === false)
    ? { question, found: "listed", says: "open responses are listed too" }
    : notSeen(question, `of ${countOf(runs)} responses none is open`);
}

/** A row of the survey list, and all that the survey lists. */
export interface Counted {
  row: Record<string, unknown>;
  page: Page;
}

const OPEN_QUESTION = "completed or all";

/** The meaning of the three counts of the survey list, by surveys whose lists were read whole. */
export function countFindings(surveys: readonly Counted[]): Finding[] {
  return (["responses", "correct", "unpaidResponses"] as const).map((field) => {
    const question = `count ${field}` as const;
    const said = surveys.flatMap((survey) => meaningOf(survey, field) ?? []);
    // A survey with open responses tells more than one without.
    const found = said.find((one) => one.found !== OPEN_QUESTION) ?? said[0];
    return found === undefined ? notSeen(question, "no list was read whole, on one page") : { question, ...found };
  });
}

function meaningOf({ row, page }: Counted, field: string): Omit<Finding, "question"> | undefined {
  const count = row[field];
  if (!isInteger(count) || page.runs.length === 0) return undefined;
  const [completed = 0, open = 0] = [true, false].map((is) =>
    countOf(page.runs.filter((run) => isCompleted(run) === is)),
  );
  const of = `${count} where ${completed} completed and ${open} open ones are listed`;
  if (count === 0) return { found: "zero", says: of };
  if (open === 0 && count === completed)
    return { found: OPEN_QUESTION, says: `${of}: whether open ones count is not seen` };
  if (count === completed) return { found: "completed", says: of };
  if (count === completed + open) return { found: "all", says: of };
  return count > completed + open
    ? { found: "more than are listed", says: `${of}: others count too, such as open ones` }
    : { found: "fewer than are listed", says: `${of}: it lags behind, or counts some alone` };
}

/** Pages that are read to find the end, after the first one. */
const MOST_READS = 10;

/**
 * The answer of a page past the last one. The pages are doubled until one is past it, or not full. So a list of a thousand pages takes ten
 * reads.
 *
 * @param read operation 8 in one order
 */
export async function findEnd(first: Page, read: (page: number) => Promise<PageAnswer>): Promise<Finding> {
  const question = "past the end";
  const isOnePage = !isFull(first);
  let [before, number] = [first, 1];
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    number = isFull(before) ? number * 2 : number + 1;
    const answer = await read(number);
    if (answer.kind === "none") {
      return { question, found: answer.answer, says: `page ${number}, which is past the end: ${answer.answer}` };
    }
    const { page } = answer;
    if (page.signature === first.signature) {
      const found = isOnePage ? "only page again" : "first page again";
      return { question, found, says: `page ${number} is the first page again` };
    }
    if (page.signature === before.signature) {
      return { question, found: "last page again", says: `page ${number} is the last page again` };
    }
    before = page;
  }
  return notSeen(question, "the list has more pages than were looked at");
}

/** The response of which most is known: all its records are on these pages, and they are several. */
export function wellKnown(pages: readonly Page[]): Run | undefined {
  const whole = pages
    .filter((page) => !isApart(page))
    .flatMap((page) => page.runs.filter((_, i) => !isFull(page) || (i > 0 && i < page.runs.length - 1)));
  return whole.filter((run) => isCompleted(run) === true).toSorted((a, b) => b.records.length - a.records.length)[0];
}

/** The answer of operation 9, compared with what the list has of the same response. */
export function singleFinding({ records, raw }: { records: readonly object[]; raw: unknown }, run: Run): Finding {
  const question = "operation 9";
  const listed = run.records.length;
  if (listed === 1) return notSeen(question, "no response of several records was met");
  const questionsOf = (some: readonly unknown[]): string =>
    JSON.stringify(some.map((one) => String((one as { questionId?: unknown }).questionId)).sort());
  const counts = `${records.length} of ${listed} records, as ${Array.isArray(raw) ? "an array" : "an object"}`;
  if (questionsOf(records) === questionsOf(run.records.map((record) => record.raw))) {
    return { question, found: "all records", says: counts };
  }
  if (records.length === 1) return { question, found: "one record", says: `${counts}: it proves nothing` };
  return { question, found: "other records", says: `${counts}, and not those of the list` };
}
