import { readDefinition } from "../../events/build/definition.ts";
import { isInteger } from "../../events/build/fields.ts";
import { isObject, readId } from "../../json.ts";
import { isFull, type Page, selected } from "../../polling/index.ts";
import { NotFoundError, type SurveyApi, SurveyApiError } from "../../survey-api/index.ts";
import {
  countFindings,
  type Ends,
  findEnd,
  isCompleted,
  openFinding,
  singleFinding,
  sortFindings,
  wellKnown,
} from "./lists.ts";
import {
  type CheckLine,
  Ended,
  type Finding,
  Look,
  notSeen,
  ok,
  PAGE,
  type PageAnswer,
  type Part,
  type ProbeOptions,
  type ProbeReport,
  QUESTIONS,
  type Question,
  type Row,
  warn,
  watching,
} from "./look.ts";
import { zoneFinding } from "./zone.ts";

/**
 * Looks at a survey service in a dozen requests or so, and says what of it the API document leaves open. Never throws for what the service does:
 * that is a check that has failed.
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  let of: Look | undefined;
  const { requests, pauses } = await watching(async (watch) => {
    of = new Look(options, watch);
    await look(of).catch((error: unknown) => {
      if (!(error instanceof Ended)) throw error;
    });
  });
  const { checks = [], findings: seen = [], surveyId = null, zone, zones = [] } = of ?? {};
  const all = [...seen, retryAfter(pauses)];
  const findings = QUESTIONS.map(
    (question) => all.find((one) => one.question === question) ?? notSeen(question, "it did not come that far"),
  );
  return { checks, findings, suggests: suggestionOf(findings, options.timeZone, zone), zones, requests, surveyId };
}

async function look(of: Look): Promise<void> {
  const { api } = of;
  const { another, now, surveys = "all", timeZone } = of.options;
  const isTold = await of.part("credentials", async () => {
    if (another === undefined) {
      await api.token();
      of.findings.push(notSeen("token shape", "the token that is kept is used; `credentials renew` tells"));
      return { says: "there is a token", value: true };
    }
    const { shape } = await api.renewToken();
    of.findings.push({ question: "token shape", found: shape, says: shape });
    return { says: "the service gives a token for them", value: true };
  });
  if (isTold === undefined) return;

  const listed = await of.part("survey list", () => surveysOf(of));
  if (listed === undefined) return;
  const rows = listed.filter(({ surveyId }) => selected(surveyId, surveys));
  if (another === undefined) of.findings.push(notSeen("tokens at once", "it would cost the poller its token"));
  else of.findings.push(await tokensAtOnce(api, another));

  const pages = await lookAtLists(of, rows);
  const { finding, zone, zones } = zoneFinding(rows, pages, now());
  of.findings.push(finding);
  Object.assign(of, { zone, zones });
  if (timeZone !== undefined && zones.length > 0) of.checks.push(zoneCheck(timeZone, zones));
}

/** Whether the zone that is configured is one in which the service's dates may be. */
function zoneCheck(timeZone: string, zones: readonly string[]): CheckLine {
  // Zones have names of old and of new: Asia/Kolkata is Asia/Calcutta.
  const { timeZone: known } = new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions();
  if (zones.includes(known)) return ok("timeZone", `${timeZone} fits the service's dates`);
  const todo = `Set one that fits, such as ${zones[0]}, and deploy.`;
  return warn("timeZone", `${timeZone} does not fit the service's dates`, todo);
}

async function surveysOf(of: Look): Promise<Part<Row[]>> {
  const elements = await of.api.elements("get survey list", {}, of.signal);
  const rows = elements.flatMap((element): Row[] => {
    const surveyId = isObject(element) ? readId(element.surveyId) : undefined;
    return isObject(element) && surveyId !== undefined ? [{ ...element, surveyId }] : [];
  });
  const says = `${rows.length} ${rows.length === 1 ? "survey" : "surveys"}`;
  if (rows.length < elements.length)
    return { says, value: rows, warns: "Some rows have no surveyId: ask the service's operator." };
  if (rows.length === 0)
    return { says, value: rows, warns: "Do the credentials belong to the account with the surveys?" };
  return { says, value: rows };
}

/** Surveys that are looked at until one lists something. */
const MOST_TRIED = 3;

/** The lists of responses: of the largest survey, and the end of the smallest. Gives the pages that were read. */
async function lookAtLists(of: Look, rows: readonly Row[]): Promise<Page[]> {
  const bySize = rows.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const large = await firstListed(of, bySize.slice(0, MOST_TRIED));
  if (large === undefined) return [];
  const { row, asc, desc } = large;
  const { surveyId } = row;
  of.surveyId = surveyId;
  const pages = [asc, desc];
  of.findings.push(...sortFindings(large, of.options.now()), openFinding(pages));
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
      findEnd(page, (number) => of.page(id, "asc", number));
    const found = await endOf(end);
    // A list of one page cannot tell its last page from its first one.
    const isVague = found.found === "only page again" && end.row !== row;
    const finding = isVague ? await endOf({ row, page: asc }) : found;
    of.findings.push(finding);
    return { says: finding.says, value: true };
  });
  of.findings.push(...countFindings(whole));
  return pages;
}

async function firstListed(of: Look, rows: readonly Row[]): Promise<({ row: Row } & Ends) | undefined> {
  return of.part("responses", async () => {
    for (const row of rows) {
      const desc = await of.page(row.surveyId, "desc", 1).catch(orNone);
      if (desc.kind === "none") continue;
      const asc = await of.page(row.surveyId, "asc", 1);
      if (asc.kind === "none") continue;
      const says = `survey ${row.surveyId} lists ${desc.page.records.length} records on its first page`;
      return { says, value: { row, asc: asc.page, desc: desc.page } };
    }
    const warns = "Ask again when there is one: most is told by them.";
    return { says: "no response is listed yet", value: undefined, warns };
  });
}

/** Some services answer 404 for a list without responses. */
function orNone(error: unknown): PageAnswer {
  if (error instanceof NotFoundError && error.operation === PAGE) return { kind: "none", answer: "404" };
  throw error;
}

const sizeOf = ({ responses }: Row): number => (isInteger(responses) ? responses : 0);

/** Operation 3: from where answers count. */
async function lookAtQuestions(of: Look, surveyId: number): Promise<Part<true>> {
  const definition = readDefinition(await of.api.survey(surveyId, of.signal));
  const question = "index base";
  const base = definition?.indexBase ?? "unknown";
  if (base === "unknown") of.findings.push(notSeen(question, "no question of the survey has scores that tell"));
  else {
    const says =
      typeof base === "number"
        ? `answers count from ${base}, by the keys of scoreArray`
        : "some questions count from 0, others from 1";
    of.findings.push({ question, found: String(base), says });
  }
  return { says: `it has ${Object.keys(definition?.questions ?? {}).length} questions`, value: true };
}

/** Operation 9, for the response of which the list shows most. */
async function lookAtOne(of: Look, surveyId: number, pages: readonly Page[]): Promise<Part<true>> {
  const run = wellKnown(pages);
  if (run === undefined) {
    of.findings.push(notSeen("operation 9", "no response is known as a whole"));
    return { says: "none to compare it with", value: true };
  }
  const tell = (finding: Finding): Part<true> => {
    of.findings.push(finding);
    return { says: finding.says, value: true };
  };
  try {
    return tell(singleFinding(await of.api.response(surveyId, run.responseId, of.signal), run));
  } catch (error) {
    if (!(error instanceof SurveyApiError) || error.operation !== "get survey response by id") throw error;
    const question = "operation 9";
    if (error.code === "NOT_FOUND") {
      const says =
        "404 for a response that is listed: contents at the edge of a page are proved by reading both pages again";
      return tell({ question, found: "absent", says });
    }
    if (error.code !== "UNREADABLE_BODY" && error.code !== "ANSWER_MISMATCH") throw error;
    return tell({ question, found: "unreadable", says: "its answer is of no shape that is known: it is not used" });
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
async function tokensAtOnce(api: SurveyApi, another: SurveyApi): Promise<Finding> {
  const question = "tokens at once";
  const before = await api.token();
  await another.renewToken();
  await api.surveys();
  return (await api.token()) === before
    ? { question, found: "several", says: "a new token leaves the one before as it is" }
    : { question, found: "one", says: "a new token ends the one before: give the poller credentials of its own" };
}

/** Of a service that has, or has not, asked to be left alone. */
function retryAfter({ asked, refused }: { asked: number; refused: number }): Finding {
  const question = "Retry-After";
  if (asked > 0)
    return { question, found: "given", says: "it refuses by 429 or 503 and says for how long, which is obeyed" };
  if (refused > 0)
    return { question, found: "not given", says: "it refuses by 429 without Retry-After: the pauses grow" };
  return notSeen(question, "it has refused nothing");
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
  findings: readonly Finding[],
  timeZone: string | undefined,
  zone: string | undefined,
): ProbeReport["suggests"] {
  const notes = findings.flatMap(({ question, found }) => (found === null ? [] : NOTES[question]?.(found) || []));
  if (timeZone !== undefined) return { config: {}, notes };
  if (zone !== undefined) return { config: { timeZone: zone }, notes };
  const open = "Give `timeZone` where the service's zone is known: without it events carry no instants.";
  return { config: {}, notes: [...notes, open] };
}
