import { html } from "hono/html";
import { CAUSES } from "../../../lib/operator/against/compare.ts";
import { count, figure, surveyName, utc } from "../../words.ts";
import { type AgainstAnswer, type AgainstSurvey, CAUSE_TEXT, sureness } from "./answer.ts";

/** Missing responses of one survey that stand on the page. */
const MOST_ROWS = 500;

/** One page of HTML to send on: it needs no other file, and has ids, dates and names of surveys alone. */
export function reportPage(answer: AgainstAnswer): string {
  const { service, startedAt, endedAt, totals, surveys, isSure } = answer;
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
<p>Read from ${utc(startedAt)} to ${utc(endedAt)}. ${sureness(answer).join(" ")}</p>
</header>
<dl>${tiles.map(([name, value]) => html`<div><dt>${name}</dt><dd>${figure(value)}</dd></div>`)}</dl>
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

function missingTable(survey: AgainstSurvey) {
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
