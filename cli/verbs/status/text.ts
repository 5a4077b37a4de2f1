import type { Io } from "../../io.ts";
import { ago, columns, span } from "../../words.ts";
import type { StatusAnswer, SurveyStatus } from "./answer.ts";
import { GLYPHS, severityOf } from "./severity.ts";
import { nameOf } from "./verdict.ts";

const COLOURS = {
  complete: "green",
  working: "blue",
  unknown: "blue",
  late: "yellow",
  unaccounted: "red",
} as const;

const HEAD = [
  "survey",
  "last poll",
  "newest response",
  "lag",
  "open",
  "waiting",
  "held",
  "set aside",
  "proved",
  "listed then",
  "emitted then",
];

/** The verdict, the command that mends it, then a line for each survey, the worst first. */
export function statusText(status: StatusAnswer, { style, now }: Pick<Io, "style" | "now">): string[] {
  const rows = [...status.surveys].sort((a, b) => severityOf(b) - severityOf(a)).map((survey) => rowOf(survey, now()));
  return [
    `${style(COLOURS[status.verdict], GLYPHS[status.verdict])} ${status.sentence}`,
    ...(status.next === null ? [] : [`Next: ${status.next}`]),
    ...(status.run === "ended" ? [`No run is at work on the data folder: ${endText(status, now())}.`] : []),
    ...(rows.length === 0 ? [] : ["", ...columns([HEAD, ...rows])]),
  ];
}

function endText({ end }: StatusAnswer, now: number): string {
  if (end === null) return "the last one broke off. Nothing is lost, and the next one goes on";
  return `the last one ended ${ago(end.at, now)}${end.cause === null ? ", as it should" : ""}`;
}

function rowOf(survey: SurveyStatus, now: number): string[] {
  const { books, catchUp, highWater } = survey;
  const proved = books === null ? "never" : ago(books.closedAt, now);
  const place = catchUp === null ? "" : ` (${placeText(catchUp)})`;
  return [
    nameOf(survey),
    ago(survey.lastPoll ?? undefined, now),
    highWater === null ? "-" : `${highWater.responseId}`,
    survey.lag === null ? "-" : span(survey.lag),
    `${survey.now.open}`,
    `${survey.now.waiting}`,
    `${survey.now.held}`,
    `${survey.now.quarantined + survey.now.refused}`,
    survey.unaccounted > 0 ? `${survey.unaccounted} unaccounted` : `${proved}${place}`,
    books === null ? "-" : `${books.listed}`,
    books === null ? "-" : `${books.emitted}`,
  ];
}

/** "page 12 of 60, 18 %, about 4 min left". */
function placeText({ page, pages, part, left }: NonNullable<SurveyStatus["catchUp"]>): string {
  return [
    pages === null ? `page ${page}` : `page ${page} of ${pages}`,
    ...(part === null ? [] : [`${Math.floor(part * 100)} %`]),
    ...(left === null ? [] : [`about ${span(left)} left`]),
  ].join(", ");
}
