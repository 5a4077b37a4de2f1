import { isInteger } from "../../events/build/fields.ts";
import { NotFoundError } from "../../survey-api/index.ts";
import { type Counted, countFindings } from "./counts.ts";
import { findEnd, type PageAnswer } from "./end-of-list.ts";
import { FULL, type Page, pageOf } from "./listed.ts";
import { type Look, PAGE, type Row, signalOf } from "./look.ts";
import { type Finding, notSeen } from "./report.ts";
import { sortFindings, withoutOrderFinding } from "./sort-key.ts";
import { responseFindings, surveyFindings, triedDetails } from "./survey-findings.ts";

/** Surveys that are looked at until one lists something. */
const MOST_TRIED = 3;

/** The findings of lists of responses: of the largest survey, and the end of the smallest. */
export async function listFindings(of: Look, rows: readonly Row[]): Promise<Page[]> {
  const bySize = rows.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const large = await firstListed(of, bySize.slice(0, MOST_TRIED));
  if (large === undefined) return [];
  const { row, asc, desc } = large;
  of.surveyId = row.surveyId;
  of.findings.push(...sortFindings({ asc, desc }), openFinding([asc, desc]));

  await of.part("questions", () => surveyFindings(of, row.surveyId));
  await of.part("list without an order", async () => {
    const operation = "get survey responses";
    const elements = await of.api.elements(operation, { surveyId: row.surveyId }, signalOf(of));
    of.findings.push(withoutOrderFinding(pageOf(elements, of.now()), large));
    return { says: "it can be read", value: true };
  });
  await of.part("one response", () => responseFindings(of, row.surveyId, [asc, desc]));
  await triedDetails(of, row.surveyId, [asc, desc]);

  const whole: Counted[] = asc.records < FULL ? [{ row, page: asc }] : [];
  const pages = [asc, desc];
  await of.part("end of a list", async () => {
    const smallest = bySize.findLast((other) => sizeOf(other) > 0);
    let end = { row, page: asc };
    if (asc.records >= FULL && smallest !== undefined && smallest !== row) {
      const first = await of.page(smallest.surveyId, "asc", 1);
      if (first.kind === "page") {
        end = { row: smallest, page: first.page };
        pages.push(first.page);
        if (first.page.records < FULL) whole.push(end);
      }
    }
    const found = await findEnd(end.page, (page) => of.page(end.row.surveyId, "asc", page));
    // A list of one page cannot tell its last page from its first one.
    const isVague = found.finding.found === "only page again" && end.row !== row;
    const { finding } = isVague ? await findEnd(asc, (page) => of.page(row.surveyId, "asc", page)) : found;
    of.findings.push(finding);
    return { says: finding.says, value: true };
  });
  of.findings.push(...countFindings(whole));
  return pages;
}

async function firstListed(of: Look, rows: readonly Row[]): Promise<{ row: Row; asc: Page; desc: Page } | undefined> {
  return of.part("responses", async () => {
    for (const row of rows) {
      const desc = await of.page(row.surveyId, "desc", 1).catch(orNone);
      if (desc.kind === "none") continue;
      const asc = await of.page(row.surveyId, "asc", 1);
      if (asc.kind === "none") continue;
      const says = `survey ${row.surveyId} lists ${desc.page.records} records on its first page`;
      return { says, value: { row, asc: asc.page, desc: desc.page } };
    }
    return {
      says: "no response is listed yet",
      value: undefined,
      warns: "Ask again when there is one: most is told by them.",
    };
  });
}

/** Some services answer 404 for a list without responses. */
function orNone(error: unknown): PageAnswer {
  if (error instanceof NotFoundError && error.operation === PAGE) return { kind: "none", answer: "404" };
  throw error;
}

function openFinding(pages: readonly Page[]): Finding {
  const question = "open responses";
  const runs = pages.flatMap((page) => page.runs);
  if (runs.some(({ completed }) => completed === false))
    return { question, found: "listed", says: "open responses are listed too" };
  return notSeen(question, `of ${new Set(runs.map(({ responseId }) => responseId)).size} responses none is open`);
}

const sizeOf = ({ responses }: Row): number => (isInteger(responses) ? responses : 0);
