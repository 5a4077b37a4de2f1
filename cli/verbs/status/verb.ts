import { EXIT } from "../../exit-codes.ts";
import { openTarget } from "../../target/open-target.ts";
import { sourcesOf } from "../../target/target.ts";
import { examples, targetVerb, type Verb } from "../../verb.ts";
import { readStatus } from "./read.ts";
import { statusText } from "./text.ts";

const EXITS = {
  complete: EXIT.done,
  unaccounted: EXIT.unaccounted,
  withheld: EXIT.unaccounted,
  working: EXIT.notNow,
  late: EXIT.notNow,
  unknown: EXIT.notNow,
};

export const statusVerb: Verb = (act) =>
  targetVerb("status", "a verdict first, then a line for each survey")
    .option("--source <name>", "only this source")
    .option("--all", "a line for each survey, however many are well")
    .addHelpText("after", examples("status --stack SurveyPoller", "status --data .survey-poller --json"))
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const status = await readStatus(target, await sourcesOf(target, options.source), io.now());
        return {
          data: status,
          text: statusText(status, { ...io, all: options.all === true }),
          exit: EXITS[status.verdict],
        };
      }),
    );
