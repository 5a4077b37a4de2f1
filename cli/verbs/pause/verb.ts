import { parseDuration } from "../../../lib/config/units.ts";
import { UsageError } from "../../flags.ts";
import { openTarget } from "../../target/open-target.ts";
import { sourcesOf } from "../../target/target.ts";
import { DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import type { PauseAnswer } from "./answer.ts";
import { changePause, pausedFrom, pauseText } from "./change.ts";

export const pauseVerb: Verb = (act) =>
  targetVerb("pause", "stops polling; nothing is lost")
    .option("--source <name>", "only this source; all without it")
    .option("--for <duration>", "goes on by itself after this time, such as 30m or 2h")
    .addOption(yesOption())
    .addHelpText(
      "after",
      `\nA tick under way comes to its end, and a catch-up within a minute. After that nothing is asked of the\nsurvey service until survey-poller resume.\n${examples("pause --stack SurveyPoller --for 2h --yes", "pause --data .survey-poller --yes")}`,
    )
    .action((options) =>
      act(options, async (io) => {
        const length = options.for === undefined ? undefined : durationOf(options.for);
        await using target = await openTarget(options, io);
        const now = io.now();
        const isDone = options.yes === true;
        const answer = await changePause(target, {
          sources: await sourcesOf(target, options.source),
          next: pausedFrom(now, length === undefined ? undefined : now + length),
          isDone,
        });
        if (!isDone && isChange(answer)) io.say(DRY_RUN);
        return { data: answer, text: pauseText(answer) };
      }),
    );

export const resumeVerb: Verb = (act) =>
  targetVerb("resume", "lets a paused source go on")
    .option("--source <name>", "only this source; all without it")
    .addOption(yesOption())
    .addHelpText("after", examples("resume --stack SurveyPoller --yes", "resume --data .survey-poller --source main"))
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const isDone = options.yes === true;
        const sources = await sourcesOf(target, options.source);
        const answer = await changePause(target, { sources, next: () => null, isDone });
        if (!isDone && isChange(answer)) io.say(DRY_RUN);
        return { data: answer, text: pauseText(answer) };
      }),
    );

function durationOf(text: string): number {
  const length = parseDuration(text);
  if (length !== undefined && length > 0) return length;
  throw new UsageError("--for is no duration", { hint: "Give one such as 30m, 2h or 1d." });
}

/** Whether any source would be another one than it is. */
function isChange({ sources }: PauseAnswer): boolean {
  return sources.some(({ was, becomes }) => was !== becomes || becomes === "paused");
}
