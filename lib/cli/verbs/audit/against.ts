import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { html } from "hono/html";
import { oneLine } from "../../../errors.ts";
import { CAUSES, type Cause, compare } from "../../../operator/against/compare.ts";
import { watching } from "../../../operator/probe/watch.ts";
import { sayWhyOpen } from "../../../polling/index.ts";
import { baseUrlProblem } from "../../../survey-api/index.ts";
import { EXIT, orNotWritten, UsageError, unlessFailing } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Answer } from "../../verb.ts";
import { count, figure, named, surveyName, utc } from "../../words.ts";
import { sumOf } from "../status/answer.ts";
import { readIdList } from "./id-list.ts";
import { readService } from "./read-service.ts";

// What a list of ids from somewhere else lacks: no poller is asked, only the service.

interface AgainstOptions {
  /** The file with the ids, and the column that has them. */
  against: string;
  column?: string | undefined;
  baseUrl?: string | undefined;
  report?: string | undefined;
  survey?: number | undefined;
  /** The folder that keeps how far the reading has come; without it nothing is kept. */
  data?: string | undefined;
}

/** Reads the lists of the service, and tells what the list of ids lacks of them. */
export async function auditAgainst(options: AgainstOptions, io: Io): Promise<Answer> {
  const { against, column, baseUrl, report } = options;
  const hint = "See survey-poller audit --help.";
  if (baseUrl === undefined) throw new UsageError("--against needs --base-url", { hint });
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint });
  const list = await readIdList(against, column);
  // A reading may take an hour: where it is to go is seen before.
  if (report !== undefined) orNotWritten("--report", () => closeSync(openSync(report, "a")));
  if (options.data !== undefined) orNotWritten("--data", () => mkdirSync(options.data ?? "", { recursive: true }));
  const { read, requests } = await watching(async (watch) => ({
    read: await unlessFailing(() => readService(baseUrl, options, io)),
    requests: watch.requests,
  }));
  const service = new URL(baseUrl).host;
  // With --data it began with the oldest part of the reading.
  const times = { startedAt: read.startedAt, endedAt: io.now() };
  const answer: AgainstAnswer = { service, ...times, requests, ...comparisonOf(list, read) };
  const exit = answer.totals.missing > 0 ? EXIT.unaccounted : answer.isSure ? EXIT.done : EXIT.notNow;
  const told = { data: answer, text: textOf(answer, options.survey), exit };
  try {
    if (report !== undefined) orNotWritten("--report", () => writeFileSync(report, reportPage(answer)));
    return told;
  } catch (error) {
    // What was read, maybe for an hour, is told all the same.
    io.say(oneLine(error, String));
    return { ...told, exit: EXIT.failed };
  }
}

/** The output of `audit --against --json`, beside `schemaVersion`. */
export interface AgainstAnswer extends ReturnType<typeof comparisonOf> {
  service: string;
  startedAt: number;
  endedAt: number;
  requests: number;
}

function comparisonOf(
  { ids, rows, unreadable }: Awaited<ReturnType<typeof readIdList>>,
  { surveys: read, nameless }: Awaited<ReturnType<typeof readService>>,
) {
  const listed = new Set<number>();
  const several = new Set<number>();
  for (const { id } of read.flatMap((survey) => survey.rows)) {
    if (listed.has(id)) several.add(id);
    listed.add(id);
  }
  const unlisted = ascending([...ids.keys()].filter((id) => !listed.has(id)));
  // Nobody can say before every list was read whole.
  const unknown = nameless === 0 && read.every(({ open }) => open === undefined) ? unlisted : null;
  const twice = ascending([...ids].flatMap(([id, times]) => (times > 1 ? [id] : [])));
  const surveys = read.map(({ surveyId, name, pages, moved, open, ...list }) => {
    // Why something may have slipped through; null where nothing can have.
    const why = open === undefined ? null : sayWhyOpen(open);
    return { surveyId, name, ...compare(list, ids, unlisted.at(-1)), pages, moved, why };
  });
  const sum = (of: (survey: (typeof surveys)[number]) => number): number => sumOf(surveys, of);
  const withCause = (cause: Cause): number => sum(({ missing }) => missing.filter((one) => one.cause === cause).length);
  const unclear = sum((one) => one.unreadable);
  const why = [
    ...(unclear > 0 ? [`${count(unclear, "response")} not in your list, and nobody can read whether completed`] : []),
    ...(nameless > 0 ? [`${count(nameless, "row")} of the survey list without an id: their lists were not read`] : []),
    ...(several.size > 0 ? [`${count(several.size, "id")} in several surveys: compare each one by --survey`] : []),
  ];
  return {
    // Nothing that was listed all the time can have slipped through.
    isSure: why.length === 0 && surveys.every((survey) => survey.why === null),
    why,
    totals: {
      ...{ listed: sum((one) => one.listed), completed: sum((one) => one.completed), open: sum((one) => one.open) },
      ...{ rows, ids: ids.size, unreadable },
      ...{ missing: sum(({ missing }) => missing.length), unknown: unknown?.length ?? null, twice: twice.length },
      causes: Object.fromEntries(CAUSES.map((cause) => [cause, withCause(cause)])) as Record<Cause, number>,
    },
    ...{ surveys, unknown, twice },
  };
}

const ascending = (ids: number[]): number[] => ids.sort((a, b) => a - b);

const CAUSE_TEXT: Record<Cause, string> = {
  late: "completed late, behind newer ones that you have",
  open: "still open when newer ones that you have completed",
  tie: "same second as another one that you have",
  before: "completed before everything that you have",
  after: "completed after everything that you have",
  moved: "on a page that moved while it was read here",
  unknown: "unknown",
};

function sureness({ isSure, why, surveys }: Pick<AgainstAnswer, "isSure" | "why" | "surveys">): string[] {
  const moved = surveys.some((survey) => survey.moved) ? " Pages moved meanwhile, and were read again." : "";
  if (isSure) return [`Every page was read twice alike.${moved}`];
  return [
    "Not sure: there may be more that is missing.",
    ...why.map((text) => `${text}.`),
    ...surveys.flatMap((survey) => (survey.why === null ? [] : [`${surveyName(survey)}: ${survey.why}.`])),
  ];
}

/** "3: 5000004, 5000005, 5000006" */
function counted(ids: readonly number[]): string {
  return ids.length === 0 ? "0" : `${figure(ids.length)}: ${named(ids)}`;
}

function readFromTo({ startedAt, endedAt }: Pick<AgainstAnswer, "startedAt" | "endedAt">): string {
  return `Read from ${utc(startedAt)} to ${utc(endedAt)}.`;
}

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
    `Unknown to the service${survey === undefined ? "" : ` in survey ${survey}`}: ${unknown === null ? "nobody can say before every list is read" : counted(unknown)}.`,
    `Twice in yours: ${counted(twice)}.`,
    readFromTo(answer),
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

/** Missing responses of one survey that stand on the page. */
const MOST_ROWS = 500;

/** One page of HTML to send on: it needs no other file, and has ids, dates and names of surveys alone. */
function reportPage(answer: AgainstAnswer): string {
  const { service, totals, surveys, isSure } = answer;
  const { missing } = totals;
  const verdict =
    missing > 0
      ? `${count(missing, "completed response")} ${missing === 1 ? "is" : "are"} missing${isSure ? "" : ", or more"}`
      : isSure
        ? "Nothing is missing"
        : "Nothing is missing on the pages that were read";
  const tiles = [
    ["completed at the service", totals.completed],
    ["in the list", totals.ids],
    ["missing in the list", missing],
    ["unknown to the service", totals.unknown],
    ["twice in the list", totals.twice],
  ] as const;
  const causes = CAUSES.filter((cause) => totals.causes[cause] > 0);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${verdict}: ${service}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="of">What a list of response ids lacks of ${service}</p>
<h1 class="${missing > 0 ? "bad" : isSure ? "good" : "open"}">${verdict}</h1>
<p>${readFromTo(answer)} ${sureness(answer).join(" ")}</p>
</header>
<dl>${tiles.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value === null ? "?" : figure(value)}</dd></div>`)}</dl>
${
  causes.length === 0
    ? ""
    : html`<h2>Why they may be missing</h2>
<table><tbody>${causes.map((cause) => html`<tr><td class="n">${figure(totals.causes[cause])}</td><td>${CAUSE_TEXT[cause]}</td></tr>`)}</tbody></table>
<p class="note">“You” is whoever made the list. A reason is given only where the service's own list shows it.</p>`
}
<h2>Surveys</h2>
<table>
<thead><tr><th>survey</th><th class="n">listed</th><th class="n">completed</th><th class="n">open</th><th class="n">in the list</th><th class="n">missing</th></tr></thead>
<tbody>${surveys.map(
    (survey) =>
      html`<tr><td>${surveyName(survey)}</td>${[survey.listed, survey.completed, survey.open, survey.yours, survey.missing.length].map((value) => html`<td class="n">${figure(value)}</td>`)}</tr>`,
  )}</tbody>
</table>
${surveys.filter((survey) => survey.missing.length > 0).map(missingTable)}
<footer>Dates of completion are as the service writes them. Positions count its list from the oldest.</footer>
</body>
</html>
`;
  return String(page);
}

function missingTable(survey: AgainstAnswer["surveys"][number]) {
  const shown = survey.missing.slice(0, MOST_ROWS);
  const more = survey.missing.length - shown.length;
  return html`<h2>Missing of ${surveyName(survey)}</h2>
<table>
<thead><tr><th class="n">response</th><th>completed</th><th class="n">position</th><th class="n">page</th><th>reason</th></tr></thead>
<tbody>${shown.map(
    ({ responseId, completed, position, page, cause }) =>
      html`<tr><td class="n">${responseId}</td><td>${completed ?? ""}</td><td class="n">${figure(position)}</td><td class="n">${figure(page)}</td><td>${CAUSE_TEXT[cause]}</td></tr>`,
  )}</tbody>
</table>
${more === 0 ? "" : html`<p class="note">And ${count(more, "other")}: <code>--json</code> has all of them.</p>`}`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #d5d9de; --dim: #5a6472; }
@media (prefers-color-scheme: dark) { :root { --line: #39424d; --dim: #9aa5b3; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; padding-left: .7rem; border-left: .4rem solid; }
h1.good { border-color: #1a7f4b; } h1.bad { border-color: #c0392b; } h1.open { border-color: #b7791f; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; break-after: avoid; }
.of, .note, footer, dt, th { color: var(--dim); } .of { margin: 0 0 .3rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .6rem; margin: 1.2rem 0; }
dl div { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; }
dt { font-size: .85rem; } dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; } thead { display: table-header-group; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 500; font-size: .85rem; } tr { break-inside: avoid; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
footer { margin: 2rem 0; font-size: .85rem; }
@media print { :root { color-scheme: light; --line: #bbb; --dim: #444; } body { margin: 0; max-width: none; font-size: 11px; } }
`;
