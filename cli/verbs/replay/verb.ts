import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { surveyId } from "../../arguments.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { stretchOf } from "../../moments.ts";
import { openTarget } from "../../target/open-target.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { cancelReplay, describeReplay } from "./archive.ts";
import { byArchive, byLedger, emittedIn, type ReplayOptions } from "./replay.ts";
import { exitOfState, stateSentence } from "./text.ts";
import { watchReplay } from "./watch.ts";

interface Options {
  from?: string | undefined;
  to?: string | undefined;
  source?: string | undefined;
  survey?: number | undefined;
  rule?: string | undefined;
  name?: string | undefined;
  watch?: string | true | undefined;
  cancel?: string | undefined;
  yes?: true | undefined;
}

export const replayVerb: Verb = (act) =>
  targetVerb("replay", "sends the events of a stretch of time once more, by the archive or the ledger")
    .option("--from <time>", "from when on they were emitted: 2026-11-21T08:00:00Z, or a day")
    .option("--to <time>", "until when (default: now)")
    .option("--rule <name>", "only to this rule of the bus, and not to every subscriber")
    .option("--survey <id>", "only this survey, from the ledger: an archive replays all", surveyId)
    .option("--source <name>", "only this source, likewise")
    .option("--name <name>", "name of the replay, which can be used once")
    .option("--watch [name]", "look at it until it has ended; NAME: at an earlier one")
    .option("--cancel <name>", "end a replay that runs")
    .addOption(yesOption())
    .addHelpText(
      "after",
      examples(
        "replay --stack SurveyPoller --from 2026-11-21T08:00:00Z --rule crm --yes --watch",
        "replay --data .survey-poller --from 2026-11-21 --survey 101",
      ),
    )
    .action((options) =>
      act(options, async (io) => {
        check(options);
        const stretch = stretchOf({ ...options, to: options.to ?? new Date(io.now()).toISOString() });
        await using target = await openTarget(options, io);
        if (options.cancel !== undefined) return await cancel(target, io, options.cancel, options.yes === true);
        if (options.from === undefined) return await watchOnly(target, `${options.watch}`, io);
        return await replay(target, io, {
          ...options,
          ...stretch,
          watch: options.watch !== undefined,
          yes: options.yes === true,
        });
      }),
    );

function check({ from, watch, cancel, name }: Options): void {
  if (name !== undefined && !/^[\w.-]{1,64}$/.test(name)) {
    throw new UsageError("--name is no name of a replay", { hint: "It has up to 64 letters, digits, dots, _ and -." });
  }
  if (cancel !== undefined && (from !== undefined || watch !== undefined)) {
    throw new UsageError("--cancel stands alone", { hint: "It ends the replay of that name." });
  }
  if (typeof watch === "string" && from !== undefined) {
    throw new UsageError("--watch and a name look at a replay that was started before", {
      hint: "Give the name of a new one as --name, and --watch alone.",
    });
  }
  if (from === undefined && cancel === undefined && typeof watch !== "string") {
    throw new UsageError("it is not said from when on", { hint: "Give --from 2026-11-21T08:00:00Z, or a day (UTC)." });
  }
}

async function replay(target: Target, io: Io, options: ReplayOptions): Promise<Answer> {
  const { ArchiveArn: archive, BusArn: bus } = target.stack?.outputs ?? {};
  const isPart = options.survey !== undefined || options.source !== undefined;
  if (options.rule !== undefined && (archive === undefined || isPart)) {
    throw new UsageError("--rule needs a replay of the archive", {
      hint: isPart
        ? "An archive replays all surveys; what is sent again of one goes to the bus, where every rule gets it."
        : `${target.name} has no archive: what is sent again goes to the bus, where every rule gets it.`,
    });
  }
  const found = await emittedIn(target, io, options);
  if (archive === undefined || bus === undefined || isPart) return await byLedger(target, io, options, found);
  await using connection = connect(target);
  const { client } = connection;
  const place = { archive, bus, busName: target.resources.busName, flags: target.flags, client };
  return await byArchive(place, io, options, found.length);
}

async function cancel(target: Target, io: Io, name: string, yes: boolean): Promise<Answer> {
  await using connection = connect(target);
  if (yes) await cancelReplay(connection.client, name);
  else io.say(DRY_RUN);
  const replay = await describeReplay(connection.client, name);
  const sentence = yes ? stateSentence(replay) : `Would cancel. ${stateSentence(replay)}`;
  return { data: { sentence, replay }, text: [sentence] };
}

async function watchOnly(target: Target, name: string, io: Io): Promise<Answer> {
  await using connection = connect(target);
  const replay = await watchReplay(connection.client, name, { flags: target.flags, io });
  const sentence = stateSentence(replay);
  return { data: { sentence, replay }, text: [sentence], exit: exitOfState(replay) };
}

function connect(target: Target): AsyncDisposable & { client: EventBridgeClient } {
  if (target.stack === undefined) {
    throw new UsageError(`${target.name} has no archive`, { hint: "Only a stack has replays to watch or to cancel." });
  }
  const client = new EventBridgeClient(target.client("eventbridge"));
  return { client, [Symbol.asyncDispose]: async () => client.destroy() };
}
