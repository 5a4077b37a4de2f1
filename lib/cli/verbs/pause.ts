import type { SourceConfig } from "../../config/index.ts";
import { parseDuration } from "../../config/units.ts";
import { readAccount } from "../../state/account.ts";
import { FOREVER } from "../../state/keys.ts";
import { setOperatorPause } from "../../state/shared.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { askingAws } from "../target/aws-failure.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import { fromTable } from "../target/surveys.ts";
import { sourcesOf, type Target } from "../target/target.ts";
import { type Answer, targetVerb, type Verb, yesOption } from "../verb.ts";
import { pauseEnd, utc } from "../words.ts";

const PAUSE_HELP = `
A tick under way comes to its end, and a backlog within a minute. After that nothing is asked of the
survey service until survey-poller resume.

Examples:
  survey-poller pause --stack SurveyPoller --for 2h --yes
  survey-poller pause --data .survey-poller --yes`;

export const pauseVerb: Verb = (act) =>
  targetVerb("pause", "stops polling; nothing is lost", PAUSE_HELP)
    .option("--source <name>", "only this source; all without it")
    .option("--for <duration>", "goes on by itself after this time, such as 30m or 2h")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        const length = options.for === undefined ? Number.POSITIVE_INFINITY : parseDuration(options.for);
        if (length === undefined || !(length > 0)) {
          throw new UsageError("--for is no duration", { hint: "Give one such as 30m, 2h or 1d." });
        }
        return await changed(options, io, Math.min(FOREVER, io.now() + length));
      }),
    );

const RESUME_HELP = `
Examples:
  survey-poller resume --stack SurveyPoller --yes
  survey-poller resume --data .survey-poller --source main`;

export const resumeVerb: Verb = (act) =>
  targetVerb("resume", "lets a paused source go on", RESUME_HELP)
    .option("--source <name>", "only this source; all without it")
    .addOption(yesOption())
    .action((options) => act(options, (io) => changed(options, io, null)));

async function changed(options: Flags, io: Io, until: number | null): Promise<Answer> {
  await using target = await openTarget(options, io);
  const isDone = options.yes === true;
  const data = await changePause(target, await sourcesOf(target, options.source), { until, now: io.now(), isDone });
  const isChange = data.sources.some(({ was, becomes }) => was !== becomes || becomes === "paused");
  return { data, text: pauseText(data), isDry: !isDone && isChange };
}

/** The output of `pause --json` and `resume --json`, beside `schemaVersion`. Times are epoch milliseconds. */
export type PauseAnswer = Awaited<ReturnType<typeof changePause>>;

/** Pauses sources until then (epoch milliseconds), or where that is null lets them go on; without `isDone` it only says so. A present pause goes on, with this end. */
export async function changePause(
  target: Target,
  sources: readonly SourceConfig[],
  { until, now, isDone }: { until: number | null; now: number; isDone: boolean },
) {
  const changes = [];
  for (const { name } of sources) {
    const { pausedSince } = await fromTable(() => readAccount(target.table, name));
    const after = until === null ? null : { since: pausedSince ?? now, until };
    if (isDone && (after !== null || pausedSince !== undefined)) {
      await askingAws("the table could not be written", () => setOperatorPause(target.table, name, after));
    }
    const was = pausedSince === undefined ? "running" : "paused";
    const becomes = after === null ? "running" : "paused";
    const end = after === null || after.until >= FOREVER ? null : after.until;
    changes.push({ source: name, was, becomes, since: after?.since ?? null, until: end } as const);
  }
  return { dryRun: !isDone, sources: changes };
}

export function pauseText({ dryRun, sources }: PauseAnswer): string[] {
  return sources.map(({ source, was, becomes, since, until }) => {
    const end = pauseEnd(until);
    if (becomes === "running") {
      if (was === "running") return `${source} is not paused.`;
      return `${source} ${dryRun ? "would go" : "goes"} on at its next tick, with all that has come meanwhile.`;
    }
    const from = was === "paused" && since !== null ? `, since ${utc(since)}` : "";
    return `${source} ${dryRun ? "would be" : "is"} paused${end}${from}. Nothing is lost: what comes meanwhile is polled afterwards.`;
  });
}
