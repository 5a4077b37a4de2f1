import { randomInt } from "node:crypto";
import type { SourceConfig } from "../../../lib/config/index.ts";
import { surveyId, wholeNumber } from "../../arguments.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { showProgress } from "../../progress.ts";
import { unlessFailing } from "../../service-failing.ts";
import { chosenSurveys, refusePaused } from "../../target/chosen-surveys.ts";
import { openTarget } from "../../target/open-target.ts";
import { readSource, type SourceState, type SurveyState } from "../../target/state.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import type { AuditAnswer, AuditedSurvey } from "./answer.ts";
import { costOf, costText } from "./cost.ts";
import { withMissing } from "./missing.ts";
import { toDo } from "./outcome.ts";
import { readPasses } from "./read-now.ts";
import { takeSample } from "./sample.ts";
import { auditText, sampleText, tryAgain } from "./text.ts";
import { planPasses, watchPasses } from "./watch.ts";

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
        const percent = options.sample === undefined ? undefined : percentOf(options.sample);
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

function percentOf(text: string): number {
  const percent = Number(text.replace(/ ?%$/, ""));
  if (/^\d/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new UsageError("--sample is no percentage above 0", { hint: "Give one such as 5% or 100%." });
}
