import { RecordsApartError, ServerError } from "../errors.ts";
import type { ResponseRecord } from "../schemas/index.ts";
import { type ListPage, pagesToEnd, type ReadPage } from "./pages.ts";
import { signatureOf } from "./signature.ts";

/** A response: the fields that all its records repeat, as its first record has them, and the records themselves. */
export interface JoinedResponse
  extends Pick<
    ResponseRecord,
    "responseId" | "surveyId" | "iso3166" | "crk" | "promoCode" | "completed" | "dateStart" | "dateCompleted"
  > {
  /** In the order in which they are listed; one for each answered question, or more. */
  records: ResponseRecord[];
}

/** How often in a row the list may change at the same place before it is given up. */
const MOST_STEPS_BACK = 20;

/** Neighbouring records of one response: at least one. */
type Run = [ResponseRecord, ...ResponseRecord[]];

/** Runs whose records have all been read, and the last page that they lie on. */
interface Closed {
  page: number;
  runs: Run[];
}

/**
 * Why a pass stopped: the list has ended, or the pass began behind responses that were not given, or a page changed. The page is here as it
 * is now.
 */
type Outcome = { kind: "end" | "too far" } | { kind: "changed"; now: Start };

/** A page to begin with, and its records where it was just read. */
interface Start {
  page: number;
  records?: ResponseRecord[];
}

/**
 * Joins records into responses over the pages of a list, and gives each response once. A response that lies on several pages is whole only
 * if nothing moved between the reads of them. So each page is read again once the responses that begin on it have been read to their end.
 * Nothing of it is given before. When it has changed, the reading steps back to a response that was given. With `prove` false that is left
 * out. It saves half the requests, and a response may be cut or missed when the list changes meanwhile.
 */
export async function* joinResponses(read: ReadPage, prove: boolean): AsyncGenerator<JoinedResponse, void, undefined> {
  const given = new Set<number>();
  let start: Start = { page: 1 };
  let furthest = 0;
  for (let steps = 0, stride = 1; steps <= MOST_STEPS_BACK; ) {
    const pass = closedRuns(read, { prove, start, given });
    let next = await pass.next();
    for (; !next.done; next = await pass.next()) {
      const { page, runs } = next.value;
      const fresh = runs.filter(([{ responseId }]) => !given.has(responseId));
      // Only both together are progress: what comes in behind this place could be given, or push it on, for ever.
      if (fresh.length > 0 && page > furthest) {
        furthest = page;
        steps = 0;
      }
      for (const run of fresh) {
        given.add(run[0].responseId);
        yield joined(run);
      }
    }
    const outcome = next.value;
    if (outcome.kind === "end") return;
    if (outcome.kind === "changed") {
      steps += 1;
      stride = 1;
      start = outcome.now;
    } else {
      start = { page: Math.max(1, start.page - stride) };
      stride *= 2;
    }
  }
  throw new ServerError("the list changes faster than it can be read", {
    operation: "get survey responses, page and order",
    retryable: true,
    hint: "Try again when fewer responses come in, or read it with `prove: false`.",
  });
}

interface Pass {
  prove: boolean;
  start: Start;
  /** Ids of the responses given by earlier passes: what is listed before one of them has been given as well. */
  given: ReadonlySet<number>;
}

/** One pass over the pages from `start` on. */
async function* closedRuns(read: ReadPage, { prove, start, given }: Pass): AsyncGenerator<Closed, Outcome> {
  /** The page where each response was met first. */
  const met = new Map<number, number>();
  /** Pages that are to be read again, all but the last wholly of the response that is `open`. */
  let unproved: ListPage[] = [];
  let closed: Run[] = [];
  let open: Run | undefined;

  let ready = start.records;
  const readFirst: ReadPage = async (page) => {
    const records = ready ?? (await read(page));
    ready = undefined;
    return records;
  };

  for await (const page of pagesToEnd(readFirst, start.page)) {
    const runs = runsOf(page.records);
    if (page.page === start.page && page.page > 1) {
      if (!page.records.some(({ responseId }) => given.has(responseId))) return { kind: "too far" };
      // Where it begins is not known, and it came in behind what was given.
      if (!given.has(page.records[0]?.responseId ?? Number.NaN)) runs.shift();
    }
    const [first] = runs;
    const goesOn = open !== undefined && first?.[0].responseId === open[0].responseId;
    if (!page.end && (first === undefined || (goesOn && runs.length === 1))) {
      open?.push(...page.records);
      unproved.push(page);
      continue;
    }
    const begun = goesOn ? runs.slice(1) : runs;
    let again: number | undefined;
    for (const [{ responseId }] of begun) {
      if (met.has(responseId)) again ??= responseId;
      else met.set(responseId, page.page);
    }
    for (const one of toRead(unproved, page, { prove, again: again !== undefined })) {
      const records = await read(one.page);
      if (signatureOf(records) === one.signature) continue;
      return { kind: "changed", now: { page: one.page, records } };
    }
    if (again !== undefined) {
      // It lies in two places, or has been moved to here by what came in before it.
      const earlier = met.get(again) ?? page.page;
      const records = await read(earlier);
      if (records.some(({ responseId }) => responseId === again)) throw apart();
      return { kind: "changed", now: { page: earlier, records } };
    }
    if (goesOn && first !== undefined) open?.push(...first);
    if (page.end) {
      yield { page: page.page - 1, runs: open === undefined ? closed : [...closed, open] };
      break;
    }
    yield { page: page.page - 1, runs: closed };
    // Also what ends with the page before waits until this one is proved: that it ends there is known from this page.
    closed = [...(open === undefined ? [] : [open]), ...begun.slice(0, -1)];
    open = begun.at(-1);
    unproved = [page];
  }
  return { kind: "end" };
}

/**
 * The pages to read again when `page` has been read. The end is looked at before and after the pages that it follows. So a list that
 * changes and changes back deceives no more here than elsewhere: it would have to do so twice, in step with the reads.
 */
function toRead(
  unproved: ListPage[],
  page: ListPage,
  { prove, again }: { prove: boolean; again: boolean },
): ListPage[] {
  if (prove && page.end) return [page, ...unproved, page];
  if (again) return [...unproved, page];
  return prove ? unproved : [];
}

function runsOf(records: readonly ResponseRecord[]): Run[] {
  const runs: Run[] = [];
  for (const record of records) {
    const run = runs.at(-1);
    if (run?.[0].responseId === record.responseId) run.push(record);
    else runs.push([record]);
  }
  return runs;
}

function joined(records: Run): JoinedResponse {
  const [{ responseId, surveyId, iso3166, crk, promoCode, completed, dateStart, dateCompleted }] = records;
  return { responseId, surveyId, iso3166, crk, promoCode, completed, dateStart, dateCompleted, records };
}

function apart(): RecordsApartError {
  return new RecordsApartError("the records of a response do not stand together in this list", {
    operation: "get survey responses, page and order",
    hint: "Join the records of all `pages()` by responseId, or read single responses with `response()`.",
  });
}
