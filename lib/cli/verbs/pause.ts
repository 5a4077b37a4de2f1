import type { SourceConfig } from "../../config/index.ts";
import { parseDuration } from "../../config/units.ts";
import { readAccount } from "../../state/account.ts";
import { FOREVER } from "../../state/keys.ts";
import { type OperatorPause, setOperatorPause } from "../../state/shared.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { askingAws } from "../target/aws-failure.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import { fromTable } from "../target/surveys.ts";
import { sourcesOf, type Target } from "../target/target.ts";
import { type Answer, DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../verb.ts";
import { pauseEnd, utc } from "../words.ts";

interface SourceChange {
  source: string;
  was: "running" | "paused";
  becomes: "running" | "paused";
  /** Epoch milliseconds since which it is paused, and at which it goes on; null: when it is resumed. */
  since: number | null;
  until: number | null;
}

/** The output of `pause --json` and `resume --json`, beside `schemaVersion`. */
export interface PauseAnswer {
  dryRun: boolean;
  sources: SourceChange[];
}

const ABOUT = `
A tick under way comes to its end, and a backlog within a minute. After that nothing is asked of the
survey service until survey-poller resume.
`;

export const pauseVerb: Verb = (act) =>
  targetVerb("pause", "stops polling; nothing is lost")
    .option("--source <name>", "only this source; all without it")
    .option("--for <duration>", "goes on by itself after this time, such as 30m or 2h")
    .addOption(yesOption())
    .addHelpText(
      "after",
      ABOUT + examples("pause --stack SurveyPoller --for 2h --yes", "pause --data .survey-poller --yes"),
    )
    .action((options) =>
      act(options, async (io) => {
        const length = options.for === undefined ? undefined : parseDuration(options.for);
        if (options.for !== undefined && !(Number(length) > 0)) {
          throw new UsageError("--for is no duration", { hint: "Give one such as 30m, 2h or 1d." });
        }
        const now = io.now();
        return await changed(options, io, pausedFrom(now, length === undefined ? undefined : now + length));
      }),
    );

export const resumeVerb: Verb = (act) =>
  targetVerb("resume", "lets a paused source go on")
    .option("--source <name>", "only this source; all without it")
    .addOption(yesOption())
    .addHelpText("after", examples("resume --stack SurveyPoller --yes", "resume --data .survey-poller --source main"))
    .action((options) => act(options, (io) => changed(options, io, () => null)));

async function changed(options: Flags, io: Io, next: PauseChange["next"]): Promise<Answer<PauseAnswer>> {
  await using target = await openTarget(options, io);
  const isDone = options.yes === true;
  const answer = await changePause(target, { sources: await sourcesOf(target, options.source), next, isDone });
  const isChange = answer.sources.some(({ was, becomes }) => was !== becomes || becomes === "paused");
  if (!isDone && isChange) io.say(DRY_RUN);
  return { data: answer, text: pauseText(answer) };
}

interface PauseChange {
  sources: readonly SourceConfig[];
  /** The pause that replaces the present one, if any. */
  next: (before: OperatorPause | undefined) => OperatorPause | null;
  isDone: boolean;
}

/** Pauses sources or lets them go on; without `isDone` it only says so. What is so already stays as it is. */
export async function changePause(target: Target, { sources, next, isDone }: PauseChange): Promise<PauseAnswer> {
  const table = target.table;
  const changes: SourceChange[] = [];
  for (const { name } of sources) {
    const account = await fromTable(() => readAccount(table, name));
    const { pausedSince: since, pausedUntil: until } = account;
    const before = since === undefined || until === undefined ? undefined : { since, until };
    const after = next(before);
    const isSame = after?.since === before?.since && after?.until === before?.until;
    if (isDone && !isSame) {
      await askingAws("the table could not be written", () => setOperatorPause(table, name, after));
    }
    changes.push({
      source: name,
      was: before === undefined ? "running" : "paused",
      becomes: after === null ? "running" : "paused",
      since: after?.since ?? null,
      until: after === null || after.until >= FOREVER ? null : after.until,
    });
  }
  return { dryRun: !isDone, sources: changes };
}

/** A pause from now on: a present one goes on, with this end. */
export function pausedFrom(now: number, until = FOREVER): PauseChange["next"] {
  return (before) => ({ since: before?.since ?? now, until });
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
