import { EXIT } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { sourcesOf } from "../../target/target.ts";
import { targetVerb, type Verb } from "../../verb.ts";
import { ago, columns, count, figure, span, surveyName } from "../../words.ts";
import { emittedText, GLYPHS, type StatusAnswer, type SurveyStatus, severityOf, sumOf } from "./answer.ts";
import { readStatus } from "./read.ts";

const LOOKS = {
  complete: { colour: "green", exit: EXIT.done },
  working: { colour: "blue", exit: EXIT.notNow },
  unknown: { colour: "blue", exit: EXIT.notNow },
  late: { colour: "yellow", exit: EXIT.notNow },
  withheld: { colour: "red", exit: EXIT.unaccounted },
  unaccounted: { colour: "red", exit: EXIT.unaccounted },
} as const;

const HELP = `
Examples:
  survey-poller status --stack SurveyPoller
  survey-poller status --data .survey-poller --json`;

export const statusVerb: Verb = (act) =>
  targetVerb("status", "a verdict first, then a line for each survey", HELP)
    .option("--source <name>", "only this source")
    .option("--all", "a line for each survey, however many are well")
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const status = await readStatus(target, await sourcesOf(target, options.source), io.now());
        const text = statusText(status, { ...io, all: options.all === true });
        return { data: status, text, exit: LOOKS[status.verdict].exit };
      }),
    );

const HEAD = ["polled", "newest", "lag", "open", "waiting", "held", "aside", "proved", "listed", "emitted"];

/** Healthy surveys that are shown: of more of them their number says enough. */
const MOST_HEALTHY = 10;

/**
 * The verdict, the command that mends it, then a line for each survey, the worst first.
 *
 * @param all each survey has its line, however many there are
 */
export function statusText(
  status: StatusAnswer,
  { style, now, width, all }: Pick<Io, "style" | "now" | "width"> & { all: boolean },
): string[] {
  const { surveys, sources } = status;
  const ordered = surveys.toSorted((a, b) => severityOf(b) - severityOf(a));
  const healthy = surveys.filter((survey) => severityOf(survey) === 0);
  const isSummed = !all && healthy.length > MOST_HEALTHY;
  const shown = isSummed ? ordered.filter((survey) => severityOf(survey) > 0) : ordered;
  const several = sources.length > 1;
  const rows = shown.map((survey) => [...(several ? [survey.source] : []), ...rowOf(survey, now())]);
  const head = [...(several ? ["source"] : []), "survey", ...HEAD];
  return [
    `${style(LOOKS[status.verdict].colour, GLYPHS[status.verdict])} ${status.sentence}`,
    ...(status.next === null ? [] : [`Next: ${status.next}`]),
    ...(status.run === "ended" ? [`No run is at work on the data folder: ${endText(status, now())}.`] : []),
    ...(rows.length === 0 ? [] : ["", ...columns([head, ...rows], width)]),
    ...(isSummed ? ["", healthyLine(healthy, now())] : []),
  ];
}

function endText({ end }: StatusAnswer, now: number): string {
  if (end === null) return "the last one broke off. Nothing is lost, and the next one goes on";
  return `the last one ended ${ago(end.at, now)}${end.cause === null ? ", as it should" : ""}`;
}

/** "48 surveys proved within 5 min, 9,600 listed: --all shows them." */
function healthyLine(healthy: readonly SurveyStatus[], now: number): string {
  const closed = healthy.flatMap(({ books }) => books ?? []);
  const listed = figure(sumOf(closed, (books) => books.listed));
  const oldest = Math.min(...closed.map(({ closedAt }) => closedAt));
  return `${count(healthy.length, "survey")} proved within ${span(now - oldest)}, ${listed} listed: --all shows them.`;
}

function rowOf(survey: SurveyStatus, now: number): string[] {
  const { books, backlog, highWater, failingSince } = survey;
  const proved = books === null ? "never" : ago(books.closedAt, now);
  const place = backlog === null ? "" : ` (${placeText(backlog)})`;
  return [
    surveyName(survey),
    failingSince === null ? ago(survey.lastPoll, now) : `fails for ${span(now - failingSince)}`,
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

/** "532 of about 20,000 emitted, done in about 4 min"; or "page 12 of 60, 18 %, 4 min left". */
function placeText(walk: NonNullable<SurveyStatus["backlog"]>): string {
  const { page, pages, part, left, emitted } = walk;
  if (emitted !== null) return emittedText([walk], (milliseconds) => `in about ${span(milliseconds)}`);
  return [
    pages === null ? `page ${page}` : `page ${page} of ${pages}`,
    ...(part === null ? [] : [`${Math.floor(part * 100)} %`]),
    ...(left === null ? [] : [`about ${span(left)} left`]),
  ].join(", ");
}
