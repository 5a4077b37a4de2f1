import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { CAUSES } from "../../../lib/operator/against/compare.ts";
import { watching } from "../../../lib/operator/probe/look.ts";
import { baseUrlProblem } from "../../../lib/survey-api/index.ts";
import { EXIT, orNotWritten, UsageError, unlessFailing } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Answer } from "../../verb.ts";
import { count, figure, surveyName } from "../../words.ts";
import { type AgainstAnswer, CAUSE_TEXT, comparisonOf, sureness } from "./answer.ts";
import { readIdList } from "./id-list.ts";
import { type ReadService, readService, type ServiceReading } from "./read-service.ts";
import { reportPage } from "./report.ts";

// What a list of ids from somewhere else lacks: no poller is asked, only the service.

export interface AgainstOptions extends Omit<ServiceReading, "baseUrl"> {
  /** The file with the ids, and the column that has them. */
  against: string;
  column?: string | undefined;
  baseUrl?: string | undefined;
  /** The file of the report. */
  report?: string | undefined;
}

/** Reads the lists of the service, and tells what the list of ids lacks of them. */
export async function auditAgainst(options: AgainstOptions, io: Io): Promise<Answer<AgainstAnswer>> {
  const { against, column, baseUrl, report } = options;
  const hint = "See survey-poller audit --help.";
  if (baseUrl === undefined) throw new UsageError("--against needs --base-url", { hint });
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint });
  const list = await readIdList(against, column);
  // A reading may take an hour: where it is to go is seen before.
  if (report !== undefined) orNotWritten("--report", () => closeSync(openSync(report, "a")));
  if (options.data !== undefined) orNotWritten("--data", () => mkdirSync(options.data ?? "", { recursive: true }));
  const startedAt = io.now();
  let read: ReadService = { surveys: [], nameless: 0 };
  const { requests } = await watching(async () => {
    read = await unlessFailing(() => readService({ ...options, baseUrl }, io));
  });
  const service = new URL(baseUrl).host;
  const answer = { service, startedAt, endedAt: io.now(), requests, ...comparisonOf(list, read) };
  if (report !== undefined) writeFileSync(report, reportPage(answer));
  const exit = answer.totals.missing > 0 ? EXIT.unaccounted : answer.isSure ? EXIT.done : EXIT.notNow;
  return { data: answer, text: textOf(answer, options.survey), exit };
}

/** Ids that are named. */
const MOST_NAMED = 20;

function named(ids: readonly number[]): string {
  return [...ids.slice(0, MOST_NAMED), ...(ids.length > MOST_NAMED ? ["…"] : [])].join(", ");
}

/** The totals first, then a line for each that is missing. */
function textOf(answer: AgainstAnswer, survey: number | undefined): string[] {
  const { totals, surveys, unknown, twice } = answer;
  const { listed, completed, open, rows, ids, unreadable, missing } = totals;
  const causes = CAUSES.flatMap((cause) =>
    totals.causes[cause] === 0 ? [] : [`  ${figure(totals.causes[cause])} ${CAUSE_TEXT[cause]}`],
  );
  return [
    `Listed by the service: ${figure(listed)}, of which ${figure(completed)} are completed and ${figure(open)} open.`,
    `In your list: ${count(ids, "id")} in ${count(rows, "row")}${unreadable === 0 ? "" : `, ${figure(unreadable)} without an id`}.`,
    `Missing in yours: ${figure(missing)}.`,
    ...causes,
    `Unknown to the service${survey === undefined ? "" : ` in survey ${survey}`}: ${figure(unknown.length)}${unknown.length === 0 ? "" : `: ${named(unknown)}`}.`,
    `Twice in yours: ${figure(twice.length)}${twice.length === 0 ? "" : `: ${named(twice)}`}.`,
    ...sureness(answer),
    ...surveys.flatMap((one) => [
      `${surveyName(one)}: ${figure(one.completed)} completed, ${figure(one.missing.length)} missing.`,
      ...one.missing.map(
        ({ responseId, completed: at, position, page, cause }) =>
          `  missing: survey ${one.surveyId}, response ${responseId}, completed ${at ?? "(no date)"}, ${figure(position)} of ${figure(one.listed)} on page ${figure(page)}: ${CAUSE_TEXT[cause]}`,
      ),
    ]),
  ];
}
