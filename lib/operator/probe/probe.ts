import { readDefinition } from "../../events/build/definition.ts";
import { isInteger } from "../../events/build/fields.ts";
import { isObject, readId } from "../../json.ts";
import { describeFailure } from "../../monitoring/log.ts";
import { isFull, type Page, type Selection, selected, toPage } from "../../polling/index.ts";
import { NotFoundError, type Order, type SurveyApi, SurveyApiError } from "../../survey-api/index.ts";
import { type CheckLine, fail, findingOf, ok, QUESTIONS, type Question, type Seen, warn } from "./findings.ts";
import {
  countSeen,
  endSeen,
  isCompleted,
  openSeen,
  type PageAnswer,
  singleSeen,
  sortSeen,
  wellKnown,
} from "./lists.ts";
import { type Watch, watching } from "./watch.ts";
import { zoneSeen } from "./zone.ts";

export interface ProbeOptions {
  api: SurveyApi;
  /**
   * A second client with the same credentials: then both ask for tokens of their own, to see what becomes of the first one. Without it the token
   * that is kept is used.
   */
  another?: SurveyApi;
  /** The surveys that are polled, where a poller does: no other is looked at. */
  surveys?: Selection;
  /** The details that events have; all of them without it. */
  enrich?: { metrics: boolean; metadata: boolean };
  timeZone?: string | undefined;
  signal?: AbortSignal;
  now: () => number;
}

/** The findings of a look at a survey service. No answer, no name of a survey and no token is in it. */
export type ProbeReport = Awaited<ReturnType<typeof probe>>;

/**
 * Looks at a survey service in a dozen requests or so, and says what of it the API document leaves open. Never throws for what the service
 * does: that is a check that has failed.
 */
export function probe(options: ProbeOptions) {
  return watching(async (watch) => {
    const of = new Look(options, watch);
    await look(of).catch((error: unknown) => {
      if (!(error instanceof Ended)) throw error;
    });
    const { checks, seen, surveyId, zone, zones } = of;
    seen["Retry-After"] = retryAfter(watch.pauses);
    const findings = QUESTIONS.map((question) => findingOf(question, seen[question] ?? "it did not come that far"));
    const suggests = suggestionOf(findings, options.timeZone, zone);
    // The requests are all that were made for it, the token's and repeated ones included; the zones those that its dates may be in.
    return { checks, findings, suggests, zones, requests: watch.requests, surveyId };
  });
}

/** After these nothing else is asked: it would fail alike, or the service wants to be left alone. */
const ENDS = /^(CREDENTIALS_\w+|WRONG_(CREDENTIALS|TOKEN)|TOO_MANY_\w+|UNREACHABLE|TIMEOUT|OUT_OF_TIME|CANCELLED)$/;

/** Nothing more is asked; the check that has failed says why. */
class Ended extends Error {}

const PAGE = "get survey responses, page and order";

type Part<T> = { says: string; value: T; warns?: string };

class Look {
  readonly checks: CheckLine[] = [];
  readonly seen: Partial<Record<Question, Seen>> = {};
  surveyId: number | null = null;
  zone: string | undefined;
  zones: string[] = [];
  readonly options: ProbeOptions;
  readonly api: SurveyApi;
  readonly signal: { signal?: AbortSignal };
  private readonly watch: Watch;
  constructor(options: ProbeOptions, watch: Watch) {
    const { api, signal } = options;
    this.options = options;
    this.api = api;
    this.signal = signal === undefined ? {} : { signal };
    this.watch = watch;
  }

  /** Does one part, which becomes a check; undefined where it has failed. */
  async part<T>(check: string, work: () => Promise<Part<T>>): Promise<T | undefined> {
    try {
      const { says, value, warns } = await work();
      this.checks.push(warns === undefined ? ok(check, says) : warn(check, says, warns));
      return value;
    } catch (error) {
      const { code, message, hint } = describeFailure(error);
      this.checks.push(fail(check, message, hint, code));
      if (ENDS.test(code)) throw new Ended();
      return undefined;
    }
  }

  tell(question: Question, seen: Seen): Part<true> {
    this.seen[question] = seen;
    return { says: findingOf(question, seen).says, value: true };
  }

  async page(surveyId: number, order: Order, number: number): Promise<PageAnswer> {
    try {
      const records = await this.api.elements(PAGE, { surveyId, page: number, order }, this.signal);
      const page = toPage(number, { kind: "page", records: [...records] });
      if (page !== undefined) return { kind: "page", page };
      return { kind: "none", answer: this.watch.statuses.get(PAGE) === 204 ? "204" : "an empty page" };
    } catch (error) {
      const isAnswer = error instanceof SurveyApiError && error.operation === PAGE && (error.status ?? 0) >= 400;
      // Some services answer 404 for a list without responses.
      const isEmpty = order === "desc" && error instanceof NotFoundError;
      if (!isAnswer || error.status === 429 || (number === 1 && !isEmpty)) throw error;
      return { kind: "none", answer: String(error.status) };
    }
  }
}

async function look(of: Look): Promise<void> {
  const { api, another, now, surveys = "all", timeZone } = of.options;
  const isTold = await of.part("credentials", async () => {
    if (another === undefined) {
      await api.token();
      of.tell("token shape", "the token that is kept is used; `credentials renew` tells");
      return { says: "there is a token", value: true };
    }
    const { shape } = await api.renewToken();
    of.tell("token shape", [shape, shape]);
    return { says: "the service gives a token for them", value: true };
  });
  if (isTold === undefined) return;

  const listed = await of.part("survey list", () => surveysOf(of));
  if (listed === undefined) return;
  const rows = listed.filter(({ surveyId }) => selected(surveyId, surveys));
  const atOnce = another === undefined ? "it would cost the poller its token" : await tokensAtOnce(api, another);
  of.tell("tokens at once", atOnce);

  const pages = await lookAtLists(of, rows);
  const { seen, zone, zones } = zoneSeen(rows, pages, now());
  of.tell("zone of dates", seen);
  Object.assign(of, { zone, zones });
  if (timeZone === undefined || zones.length === 0) return;
  // Zones have names of old and of new: Asia/Kolkata is Asia/Calcutta.
  const { timeZone: known } = new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions();
  const todo = `Set one that fits, such as ${zones[0]}, and deploy.`;
  of.checks.push(
    zones.includes(known)
      ? ok("timeZone", `${timeZone} fits the service's dates`)
      : warn("timeZone", `${timeZone} does not fit the service's dates`, todo),
  );
}

type Row = Record<string, unknown> & { surveyId: number };

async function surveysOf(of: Look): Promise<Part<Row[]>> {
  const elements = await of.api.elements("get survey list", {}, of.signal);
  const rows = elements.flatMap((element): Row[] => {
    const surveyId = isObject(element) ? readId(element.surveyId) : undefined;
    return isObject(element) && surveyId !== undefined ? [{ ...element, surveyId }] : [];
  });
  const part = { says: `${rows.length} ${rows.length === 1 ? "survey" : "surveys"}`, value: rows };
  if (rows.length < elements.length)
    return { ...part, warns: "Some rows have no surveyId: ask the service's operator." };
  return rows.length > 0 ? part : { ...part, warns: "Do the credentials belong to the account with the surveys?" };
}

/** Surveys that are looked at until one lists something. */
const MOST_TRIED = 3;

/** The lists of responses: of the largest survey, and the end of the smallest. Gives the pages that were read. */
async function lookAtLists(of: Look, rows: readonly Row[]): Promise<Page[]> {
  const bySize = rows.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const large = await of.part("responses", () => firstListed(of, bySize.slice(0, MOST_TRIED)));
  if (large === undefined) return [];
  const { row, asc, desc } = large;
  const { surveyId } = row;
  of.surveyId = surveyId;
  const pages = [asc, desc];
  Object.assign(of.seen, sortSeen(large, of.options.now()));
  of.tell("open responses", openSeen(pages));
  await of.part("questions", () => lookAtQuestions(of, surveyId));
  await of.part("one response", () => lookAtOne(of, surveyId, pages));
  await tryDetails(of, surveyId, pages);

  const whole = isFull(asc) ? [] : [{ row, page: asc }];
  await of.part("end of a list", async () => {
    const smallest = bySize.findLast((other) => sizeOf(other) > 0);
    let end = { row, page: asc };
    if (isFull(asc) && smallest !== undefined && smallest !== row) {
      const first = await of.page(smallest.surveyId, "asc", 1);
      if (first.kind === "page") {
        end = { row: smallest, page: first.page };
        pages.push(first.page);
        if (!isFull(first.page)) whole.push(end);
      }
    }
    const endOf = ({ row: { surveyId: id }, page }: typeof end) =>
      endSeen(page, (number) => of.page(id, "asc", number));
    const found = await endOf(end);
    // A list of one page cannot tell its last page from its first one.
    const isVague = found[0] === "only page again" && end.row !== row;
    return of.tell("past the end", isVague ? await endOf({ row, page: asc }) : found);
  });
  for (const field of ["responses", "correct", "unpaidResponses"] as const)
    of.tell(`count ${field}`, countSeen(whole, field));
  return pages;
}

/** The first pages of both orders of the first survey that lists something. */
async function firstListed(
  of: Look,
  rows: readonly Row[],
): Promise<Part<{ row: Row; asc: Page; desc: Page } | undefined>> {
  for (const row of rows) {
    const desc = await of.page(row.surveyId, "desc", 1);
    const asc = desc.kind === "none" ? desc : await of.page(row.surveyId, "asc", 1);
    if (desc.kind === "none" || asc.kind === "none") continue;
    const says = `survey ${row.surveyId} lists ${desc.page.records.length} records on its first page`;
    return { says, value: { row, asc: asc.page, desc: desc.page } };
  }
  const warns = "Ask again when there is one: most is told by them.";
  return { says: "no response is listed yet", value: undefined, warns };
}

const sizeOf = ({ responses }: Row): number => (isInteger(responses) ? responses : 0);

/** Operation 3: from where answers count. */
async function lookAtQuestions(of: Look, surveyId: number): Promise<Part<true>> {
  const definition = readDefinition(await of.api.survey(surveyId, of.signal));
  const base = definition?.indexBase ?? "unknown";
  const says =
    typeof base === "number"
      ? `answers count from ${base}, by the keys of scoreArray`
      : "some questions count from 0, others from 1";
  of.tell("index base", base === "unknown" ? "no question of the survey has scores that tell" : [String(base), says]);
  return { says: `it has ${Object.keys(definition?.questions ?? {}).length} questions`, value: true };
}

/** Operation 9, for the response of which the list shows most. */
async function lookAtOne(of: Look, surveyId: number, pages: readonly Page[]): Promise<Part<true>> {
  const run = wellKnown(pages);
  if (run === undefined) {
    of.tell("operation 9", "no response is known as a whole");
    return { says: "none to compare it with", value: true };
  }
  try {
    return of.tell("operation 9", singleSeen(await of.api.response(surveyId, run.responseId, of.signal), run));
  } catch (error) {
    if (!(error instanceof SurveyApiError) || error.operation !== "get survey response by id") throw error;
    if (error.code === "NOT_FOUND") {
      const says =
        "404 for a response that is listed: contents at the edge of a page are proved by reading both pages again";
      return of.tell("operation 9", ["absent", says]);
    }
    if (error.code !== "UNREADABLE_BODY" && error.code !== "ANSWER_MISMATCH") throw error;
    return of.tell("operation 9", ["unreadable", "its answer is of no shape that is known: it is not used"]);
  }
}

/** Operations 11 and 13, for one completed response: an event waits for both. */
async function tryDetails(of: Look, surveyId: number, pages: readonly Page[]): Promise<void> {
  const run = pages.flatMap(({ runs }) => runs).find((one) => isCompleted(one) === true);
  if (run === undefined) return;
  for (const kind of ["metrics", "metadata"] as const) {
    if (of.options.enrich?.[kind] === false) continue;
    await of.part(kind, async () => {
      try {
        await of.api[kind](surveyId, run.responseId, of.signal);
        return { says: `the service gives those of response ${run.responseId}`, value: true };
      } catch (error) {
        if (!(error instanceof SurveyApiError) || error.code !== "NOT_FOUND") throw error;
        const warns = "An event waits for them, and goes out without in the end (`absentAfter`).";
        return { says: `the service has none of response ${run.responseId}`, value: true, warns };
      }
    });
  }
}

/**
 * Whether a new token ends the one before. It may take another client's token from it, which then asks for one of its own.
 *
 * @param api has a token that works
 */
async function tokensAtOnce(api: SurveyApi, another: SurveyApi): Promise<Seen> {
  const before = await api.token();
  await another.renewToken();
  await api.surveys();
  return (await api.token()) === before
    ? ["several", "a new token leaves the one before as it is"]
    : ["one", "a new token ends the one before: give the poller credentials of its own"];
}

function retryAfter({ asked, refused }: Watch["pauses"]): Seen {
  if (asked > 0) return ["given", "it refuses by 429 or 503 and says for how long, which is obeyed"];
  if (refused > 0) return ["not given", "it refuses by 429 without Retry-After: the pauses grow"];
  return "it has refused nothing";
}

/** The meaning of a finding for somebody who runs the poller. Most findings mean nothing. */
const NOTES: Partial<Record<Question, (found: string) => string | false>> = {
  "tokens at once": (found) =>
    found === "one" && "Give the poller credentials of its own: each new token ends the one before.",
  "records together": (found) => found === "no" && "Contents come from operation 9 alone, one request a response.",
  "open responses": (found) => found === "listed" && "Open responses are noted, and go out once they are completed.",
  "operation 9": (found) =>
    found !== "all records" && "Operation 9 is no proof here: edges of pages are read twice instead.",
  "index base": (found) =>
    !/^[01]$/.test(found) && 'Events will carry no labels of answers: "questions": "labels" would be of no use.',
};

function suggestionOf(
  findings: readonly ReturnType<typeof findingOf>[],
  timeZone: string | undefined,
  zone: string | undefined,
): { config: Record<string, unknown>; notes: string[] } {
  const notes = findings.flatMap(({ question, found }) => (found === null ? [] : NOTES[question]?.(found) || []));
  if (timeZone !== undefined) return { config: {}, notes };
  if (zone !== undefined) return { config: { timeZone: zone }, notes };
  const open = "Give `timeZone` where the service's zone is known: without it events carry no instants.";
  return { config: {}, notes: [...notes, open] };
}
