import { randomInt } from "node:crypto";
import type { SourceConfig } from "../../../lib/config/index.ts";
import { EXIT, type ExitCode, unlessFailing } from "../../errors.ts";
import { UsageError } from "../../flags.ts";
import { type Io, showProgress } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { chosenSurveys, readSource, refusePaused, type SourceState, type SurveyState } from "../../target/surveys.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, surveyId, targetVerb, type Verb, wholeNumber, yesOption } from "../../verb.ts";
import { count, span, surveyName } from "../../words.ts";
import type { AuditAnswer, AuditedSurvey, SampleAnswer, SampledSurvey } from "./answer.ts";
import { costOf, costText, planPasses, readPasses, toDo, watchPasses, withMissing } from "./passes.ts";
import { takeSample } from "./sample.ts";

export const auditVerb: Verb = (act) =>
  targetVerb("audit", "a full read that closes the books, or a sample")
    .option("--source <name>", "the source, where there are several")
    .option("--survey <id>", "only this survey; all of the source without it", surveyId)
    .option("--now", "reads at once, whatever the background budget")
    .option("--no-wait", "leaves it to the ticks, and does not wait for the end")
    .option("--sample <percent>", "looks up a random part of the pages in the ledger, and changes nothing")
    .option("--seed <number>", "draws the same pages again", wholeNumber)
    .addOption(yesOption())
    .addHelpText(
      "after",
      `\nWithout --yes it says what it costs. Exit code 5 names what is unaccounted for, 3 says why the books are open.\n${examples("audit --survey 421 --stack SurveyPoller --yes", "audit --now --data .survey-poller --yes", "audit --sample 5% --data .survey-poller")}`,
    )
    .action((options) =>
      act(options, async (io) => {
        const { survey: surveyId, seed = randomInt(2 ** 31) } = options;
        const percent = options.sample === undefined ? undefined : percentIn(options.sample);
        if (percent !== undefined && (options.now === true || options.yes === true)) {
          const hint = "A sample changes nothing and is read at once: leave --now and --yes out.";
          throw new UsageError("--sample goes with neither --now nor --yes", { hint });
        }
        await using target = await openTarget(options, io);
        const source = await oneSource(target, options.source);
        const state = await readSource(target, source.name);
        const surveys = chosenSurveys(state, source, surveyId, target);
        refusePaused(state, target);
        const of = { target, source, state, surveys, io };
        if (percent !== undefined) return await unlessFailing(() => sampled({ ...of, percent, seed }));
        const { now: isNow = false, wait: waits, yes = false } = options;
        return await unlessFailing(() => audited({ ...of, isNow, waits, isDone: yes }));
      }),
    );

interface Of {
  target: Target;
  source: SourceConfig;
  state: SourceState;
  surveys: SurveyState[];
  io: Io;
}

async function sampled({ percent, seed, ...of }: Of & { percent: number; seed: number }): Promise<Answer> {
  const progress = showProgress(of.io);
  try {
    const answer = await takeSample({ ...of, percent, seed, progress });
    const missing = answer.surveys.some((survey) => survey.missing.length > 0);
    return { data: answer, text: sampleText(answer), exit: missing ? EXIT.unaccounted : EXIT.done };
  } finally {
    progress.end();
  }
}

interface Audit extends Of {
  isNow: boolean;
  waits: boolean;
  isDone: boolean;
}

async function audited({ isNow, waits, isDone, ...of }: Audit): Promise<Answer> {
  const { source, state, surveys, target, io } = of;
  const cost = costOf(state, surveys, source, { isNow, now: io.now() });
  const data = { dryRun: !isDone, source: source.name, mode: isNow ? "now" : "background", cost } as const;
  const answer = (audits: AuditedSurvey[]): AuditAnswer => ({ ...data, surveys: audits });
  if (!isDone) {
    io.say(DRY_RUN);
    const plan = answer(surveys.map((survey) => toDo(survey)));
    return { data: plan, text: auditText(plan, target.flags) };
  }
  io.say(costText(cost));
  const progress = showProgress(io);
  try {
    const watched = { ...of, progress };
    const planned = isNow ? undefined : await planPasses(watched);
    if (planned !== undefined && !waits) {
      const plan = answer(surveys.map((survey) => toDo(survey, "planned")));
      return { data: plan, text: auditText(plan, target.flags) };
    }
    const outcomes = planned === undefined ? await readPasses(watched) : await watchPasses(watched, planned);
    const ended = await withMissing(of, outcomes);
    const named = answer(await Promise.all(ended.map((one) => withIds(of, one, progress))));
    progress.end();
    const again = tryAgain(named.surveys, source.interval);
    if (again !== undefined) io.say(again);
    return { data: named, text: auditText(named, target.flags), exit: exitOf(named.surveys) };
  } finally {
    progress.end();
  }
}

/** Which ones they are, as far as all pages can tell now. */
async function withIds(
  of: Of,
  audit: AuditedSurvey,
  progress: ReturnType<typeof showProgress>,
): Promise<AuditedSurvey> {
  const { unaccounted, surveyId } = audit;
  if (unaccounted === null) return audit;
  const surveys = of.surveys.filter((survey) => survey.surveyId === surveyId);
  const [all] = (await takeSample({ ...of, surveys, percent: 100, seed: 0, progress })).surveys;
  return { ...audit, unaccounted: { ...unaccounted, ids: all?.missing ?? [] } };
}

function exitOf(surveys: readonly AuditedSurvey[]): Exclude<ExitCode, 2 | 130> {
  if (surveys.some(({ outcome }) => outcome === "unaccounted")) return EXIT.unaccounted;
  return surveys.some(({ outcome }) => outcome === "open") ? EXIT.notNow : EXIT.done;
}

function percentIn(text: string): number {
  const percent = Number(text.replace(/ ?%$/, ""));
  if (/^\d/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new UsageError("--sample is no percentage above 0", { hint: "Give one such as 5% or 100%." });
}

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
function tryAgain(surveys: readonly AuditedSurvey[], interval: number): string | undefined {
  const open = surveys.filter(({ outcome }) => outcome === "open");
  if (open.length === 0) return undefined;
  if (open.some(({ why }) => why === "the source is paused")) return "Try again after survey-poller resume.";
  return `Try again after the next tick, which comes within ${span(interval)}.`;
}

function sampleText({ percent, seed, surveys }: SampleAnswer): string[] {
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
