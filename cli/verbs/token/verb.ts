import { Command } from "@commander-js/extra-typings";
import { openTarget } from "../../target/open-target.ts";
import { examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { renewText, renewToken } from "./renew.ts";

export const tokenVerb: Verb = (act) =>
  // Without options: it would take those of `renew` for its own.
  new Command("token")
    .summary("the access token that is kept of a source")
    .description("The access token that is kept of a source.")
    .addCommand(
      targetVerb("renew", "asks for a new token in the place of the one that is kept")
        .option("--source <name>", "the source, where there are several")
        .addOption(yesOption())
        .addHelpText("after", "\nThe function asks for it at once. The token itself is never shown.")
        .addHelpText("after", examples("token renew --stack SurveyPoller --yes", "token renew --data .survey-poller"))
        .action((options) =>
          act(options, async (io) => {
            await using target = await openTarget(options, io);
            const { source } = options;
            const data = await renewToken(target, { source, yes: options.yes === true }, io);
            return { data, text: renewText(data, io.now()) };
          }),
        ),
    )
    .addHelpText("after", examples("token renew --stack SurveyPoller --yes"));
