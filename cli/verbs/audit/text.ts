import { surveyName } from "../../printable.ts";
import { count, span } from "../../words.ts";
import type { AuditAnswer, AuditedSurvey, SampleAnswer, SampledSurvey } from "./answer.ts";
import { costText } from "./cost.ts";

/** Missing responses that are named. */
const MOST_NAMED = 20;

/** The cost of a dry run, or what became of each survey. */
export function auditText({ dryRun, mode, cost, surveys }: AuditAnswer, flags: string): string[] {
  if (!dryRun) return surveys.flatMap((survey) => surveyLines(survey, flags));
  const names = surveys.length > 3 ? `${surveys.length} surveys` : surveys.map(surveyName).join(", ");
  return [
    mode === "now"
      ? `Would read every page of ${names} at once, and close the books.`
      : `Would make the full pass of ${names} due at once: ticks read every page, and close the books.`,
    costText(cost),
  ];
}

/** The outcome of one survey, for people. */
export function surveyLines(survey: AuditedSurvey, flags: string): string[] {
  const { outcome, listed, why, unaccounted } = survey;
  const name = surveyName(survey);
  if (outcome === "planned") return [`${name}: planned. survey-poller status ${flags} tells when its books close.`];
  if (outcome === "unaccounted" && unaccounted !== null) {
    const { count: left, ids } = unaccounted;
    const known = ids.length === 0 ? "" : `: ${ids.join(", ")}`;
    return [`${name}: ${left} unaccounted${known}`];
  }
  if (outcome !== "closed") return [`${name}: the books are open: ${why}.`];
  return [`${name}: books closed, ${listed} listed, ${listed} accounted for.${foundText(survey)}`];
}

/** " 1 response was missing (5000004): it goes out now." */
function foundText({ found, missing }: AuditedSurvey): string {
  if (found === null || found === 0) return "";
  if (missing === null)
    return ` ${count(found, "response")} no other walk had met: ${found === 1 ? "it goes" : "they go"} out now.`;
  if (missing.length === 0) return ` ${count(found, "response")} came meanwhile.`;
  const [was, goes] = missing.length === 1 ? ["was", "it goes"] : ["were", "they go"];
  const ids = [...missing.slice(0, MOST_NAMED), ...(missing.length > MOST_NAMED ? ["…"] : [])].join(", ");
  return ` ${count(missing.length, "response")} ${was} missing (${ids}): ${goes} out now.`;
}

/** When to try again what cannot be proved now. */
export function tryAgain(surveys: readonly AuditedSurvey[], interval: number): string | undefined {
  const open = surveys.filter(({ outcome }) => outcome === "open");
  if (open.length === 0) return undefined;
  if (open.some(({ why }) => why === "the source is paused")) return "Try again after survey-poller resume.";
  return `Try again after the next tick, which comes within ${span(interval)}.`;
}

export function sampleText({ percent, seed, surveys }: SampleAnswer): string[] {
  return [
    ...surveys.flatMap((survey) => sampledLines(survey)),
    `A sample of ${percent} % of the pages, by seed ${seed}. It proves nothing of the others: survey-poller audit does.`,
  ];
}

function sampledLines(survey: SampledSurvey): string[] {
  const { pages, read, responses, states, missing, isNew } = survey;
  const known = Object.entries(states).filter(([state]) => state !== "missing");
  const isAll = read.length >= pages;
  const chances = survey.chances.map(({ missing: k, seen }) => `${k} with ${percentOf(seen, isAll)}`).join(", ");
  return [
    `${surveyName(survey)}: ${read.length} of ${pages} pages read, ${responses} responses: ${known.map(([state, n]) => `${n} ${state}`).join(", ")}${known.length === 0 ? "none known" : ""}.`,
    ...(isNew.length === 0 ? [] : [`  ${isNew.length} new since the last poll: ${isNew.join(", ")}`]),
    ...missing.map((id) => `  unaccounted: survey ${survey.surveyId}, response ${id}`),
    `  Of so many missing ones, wherever they lie, it would have seen at least one: of ${chances}. If all lie on one page: ${percentOf(survey.chanceOnOnePage, isAll)}.`,
  ];
}

/** Never 100 % for what is not certain. */
function percentOf(part: number, isAll: boolean): string {
  if (isAll) return "100 %";
  return `${Math.min(99.9, Math.floor(part * 1_000) / 10)} %`;
}
