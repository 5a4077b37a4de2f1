import type { SurveyRedrive } from "../../../lib/operator/redrive.ts";
import { EXIT, InterruptedError, UsageError } from "../../errors.ts";
import { type Io, showProgress } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { DRY_RUN, examples, surveyIds, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { columns, count, surveyName } from "../../words.ts";
import { type Group, groupsOf, readSetAside } from "./set-aside.ts";

interface Redriven extends Pick<SurveyRedrive, "surveyId" | "putBack"> {
  name: string | null;
  /** Null in a dry run. */
  outcome: SurveyRedrive["outcome"] | null;
  left: SurveyRedrive["left"] | null;
  failure: NonNullable<SurveyRedrive["failure"]> | null;
}

/** The output of `quarantine redrive --json`, beside `schemaVersion`. */
export interface RedriveAnswer {
  dryRun: boolean;
  source: string;
  /** Set aside, before it. */
  total: number;
  reasons: Pick<Group, "state" | "reason" | "count" | "kept">[];
  surveys: Redriven[];
}

export const redriveVerb: Verb = (act) =>
  targetVerb("redrive", "puts what was set aside back on its way; it goes out at the next tick")
    .option("--survey <ids...>", "of these surveys", surveyIds)
    .option("--all", "of all surveys")
    .option("--reason <reason>", "only those with this reason, as list shows it")
    .option("--source <name>", "the source, where there are several")
    .addOption(yesOption())
    .addHelpText(
      "after",
      examples(
        "quarantine redrive --survey 101 102 --stack SurveyPoller",
        "quarantine redrive --all --reason TooLarge --yes",
      ),
    )
    .action((options) =>
      act(options, async (io) => {
        const { survey, all, reason } = options;
        if ((survey === undefined) === (all !== true)) {
          const hint = "Give --survey with the ids of some, or --all.";
          const message = survey === undefined ? "no survey is named" : "--survey and --all exclude each other";
          throw new UsageError(message, { hint });
        }
        await using target = await openTarget(options, io);
        const { name: source } = await oneSource(target, options.source);
        const found = await readSetAside(target, { sources: [source], surveyIds: survey, reason }, io);
        const names = new Map(found.map(({ surveyId, name }) => [surveyId, name]));
        const dryRun = options.yes !== true;
        const done = dryRun ? [] : await redrive(target, { source, surveyIds: [...names.keys()], reason }, io);
        const answer: RedriveAnswer = {
          ...{ dryRun, source, total: found.length },
          reasons: groupsOf(found, target.flags).map(({ state, reason: one, count: number, kept }) => ({
            ...{ state, reason: one, count: number, kept },
          })),
          surveys: [...names].map(([surveyId, name]) => {
            const {
              outcome = null,
              putBack = 0,
              left = null,
              failure = null,
            } = done.find((one) => one.surveyId === surveyId) ?? {};
            return { surveyId, name, outcome, putBack, left, failure };
          }),
        };
        if (dryRun && found.length > 0) io.say(DRY_RUN);
        const outcomes = new Set(done.map(({ outcome }) => outcome));
        const isFailed = outcomes.has("failed") || outcomes.has("not polled");
        const isOpen = outcomes.has("busy") || outcomes.has("unfinished");
        const exit = isFailed ? EXIT.failed : isOpen ? EXIT.notNow : EXIT.done;
        return { data: answer, text: redriveText(answer), exit };
      }),
    );

/** Asks again for what an invocation had no time for, as long as that puts something back. */
async function redrive(
  target: Target,
  { source, surveyIds: all, reason }: { source: string; surveyIds: number[]; reason: string | undefined },
  io: Io,
): Promise<SurveyRedrive[]> {
  const results = new Map<number, SurveyRedrive>();
  const progress = showProgress(io);
  for (let left = all, isFurther = true; left.length > 0 && isFurther; ) {
    if (io.signal.aborted) throw new InterruptedError();
    progress.update(`putting back: ${all.length - left.length} of ${all.length} surveys`, 1 - left.length / all.length);
    const input = { surveyIds: left, ...(reason === undefined ? {} : { reason }) };
    const { surveys } = await target.operate(source, "redrive", input);
    for (const survey of surveys) {
      // What stays where it is was looked at once more.
      const before = results.get(survey.surveyId)?.putBack ?? 0;
      results.set(survey.surveyId, { ...survey, putBack: before + survey.putBack });
    }
    isFurther = surveys.some(({ outcome, putBack }) => outcome === "done" || putBack > 0);
    left = surveys.filter(({ outcome }) => outcome === "unfinished").map(({ surveyId }) => surveyId);
  }
  progress.end();
  return [...results.values()];
}

const LEFT: Record<keyof SurveyRedrive["left"], string> = {
  unreadable:
    "cannot be read by this version either, or is a single record, or of a survey whose records may lie apart",
  withoutRecords: "was never readable, and its records were dropped when their time was over (retention.quarantine)",
  beforeFloor: "was completed before the floor: it never goes out",
  failed: "has records that could not be read now",
};

const OUTCOMES: Partial<Record<SurveyRedrive["outcome"], string>> = {
  busy: "is being polled just now: try again in a minute",
  unfinished: "is not done yet: run it again to go on",
  "not polled":
    "is left out by the source's `surveys`, and nothing put back would go out: take it in, deploy, and redrive again",
};

/** The responses that would be put back, by reason. Or those that were, by survey, with those that are left and why. */
export function redriveText({ dryRun, total, reasons, surveys }: RedriveAnswer): string[] {
  if (total === 0) return ["Nothing is set aside there."];
  if (dryRun) {
    const rows = reasons.map((one) => [`${one.count}`, one.reason, one.state, `records of ${one.kept} kept`]);
    const what = count(total, "response or record", "responses and records");
    return [`${what} of ${count(surveys.length, "survey")} would be tried:`, ...columns(rows).map((row) => `  ${row}`)];
  }
  const back = surveys.reduce((sum, { putBack }) => sum + putBack, 0);
  return [
    ...surveys.flatMap(surveyText),
    back === 0 ? "Nothing was put back." : `${count(back, "response")} put back: they go out at the next tick.`,
  ];
}

function surveyText(survey: Redriven): string[] {
  const { outcome, putBack, left, failure } = survey;
  const reasons = Object.entries(left ?? {}).filter(([, number]) => number > 0);
  const why = outcome === null ? undefined : OUTCOMES[outcome];
  return [
    `${surveyName(survey)}: ${putBack} put back, ${reasons.reduce((sum, [, number]) => sum + number, 0)} left`,
    ...reasons.map(([reason, number]) => `  ${number} ${LEFT[reason as keyof typeof LEFT]}`),
    ...(why === undefined ? [] : [`  It ${why}.`]),
    ...(failure === null ? [] : [`  It failed (${failure.code}): ${failure.message}`]),
  ];
}
