import type { DateRange } from "../../../lib/polling/model/phase.ts";
import { surveyId } from "../../arguments.ts";
import { UsageError } from "../../flags.ts";
import { showProgress } from "../../progress.ts";
import { unlessFailing } from "../../service-failing.ts";
import { chosenSurveys } from "../../target/chosen-surveys.ts";
import { openTarget } from "../../target/open-target.ts";
import { readSource } from "../../target/state.ts";
import { oneSource } from "../../target/target.ts";
import { examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { answered, countFirst, type Of, start, stop, watch } from "./act.ts";
import { rangeOf } from "./range.ts";

export const backfillVerb: Verb = (act) =>
  targetVerb("backfill", "emits what completed before the floor, with the ids it would always have had")
    .requiredOption("--survey <id>", "the survey", surveyId)
    .option("--source <name>", "the source, where there are several")
    .option("--from <date>", "first date of completion, as the survey service writes it")
    .option("--to <date>", "last date of completion, a day as a whole")
    .option("--watch", "waits for the end, also of one that is under way")
    .option("--stop", "stops the one that is under way")
    .addOption(yesOption())
    .addHelpText(
      "after",
      `\nTicks work it off beside the head. The dry run reads every page, and counts. survey-poller pause halts it.\n${examples("backfill --survey 421 --from 2026-01-01 --to 2026-01-31 --stack SurveyPoller", "backfill --survey 421 --from 2026-01-01 --to 2026-01-31 --data .survey-poller --yes --watch", "backfill --survey 421 --stop --data .survey-poller --yes")}`,
    )
    .action((options) =>
      act(options, async (io) => {
        const { survey: surveyId } = options;
        const range = askedRange(options);
        await using target = await openTarget(options, io);
        const source = await oneSource(target, options.source);
        const state = await readSource(target, source.name);
        const [survey] = chosenSurveys(state, source, surveyId, target);
        if (survey === undefined) throw new UsageError("the survey is not polled", {});
        const progress = showProgress(io);
        const of: Of = { target, source, state, survey, io, progress, isDone: options.yes === true };
        try {
          return await unlessFailing(async () => {
            if (options.stop === true) return stop(of);
            if (range === undefined) return watch(of);
            if (!of.isDone) return countFirst(of, range);
            const started = await start(of, range);
            const isUnderWay = started.outcome === "started" || started.outcome === "under way";
            return options.watch === true && isUnderWay ? watch(of, started) : answered(of, started);
          });
        } finally {
          progress.end();
        }
      }),
    );

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  watch?: true | undefined;
  stop?: true | undefined;
}

/** Undefined where the one that is under way is meant. */
function askedRange({ from, to, watch: watches, stop: stops }: Asked): DateRange | undefined {
  const hint = "Give --from and --to, or --watch or --stop for the one that is under way.";
  if (from !== undefined && to !== undefined && stops !== true) return rangeOf(from, to);
  if (from !== undefined || to !== undefined || (watches !== true && stops !== true)) {
    throw new UsageError("it is not said what is to be backfilled", { hint });
  }
  return undefined;
}
