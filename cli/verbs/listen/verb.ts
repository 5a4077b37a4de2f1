import { CommandError } from "../../errors.ts";
import { listening } from "../../hearing/listening.ts";
import { countOption, filterOption, forOption } from "../../hearing/options.ts";
import { examples, targetVerb, toJson, type Verb } from "../../verb.ts";
import { count } from "../../words.ts";
import { forwardUrl } from "./forward-url.ts";
import { post } from "./post.ts";
import { freshSecret, readSecret } from "./secret.ts";
import { answerLine } from "./text.ts";

const ABOUT = `
Each event is posted once, as a deployed webhook with "signing" does it: signed by Standard Webhooks, where
webhook-id is the event id. That one tries again after no answer in 30 s, 401, 403, 407, 408, 409, 425, 429
and 5xx; other answers go to the dead-letter queue. A webhook with "auth" sends that too, or instead.`;

export const listenVerb: Verb = (act) =>
  targetVerb("listen", "posts events live to a consumer on this machine, as a deployed webhook would")
    .requiredOption("--forward-to <url>", "where each event is posted")
    .addOption(filterOption())
    .addOption(forOption())
    .addOption(countOption())
    .option("--secret <name>", "variable or file that holds the signing secret; without it one is made")
    .option("--allow-remote", "also to another machine: personal data leaves this one")
    .addHelpText(
      "after",
      ABOUT +
        examples(
          "listen --forward-to http://localhost:3000/events",
          "listen --stack SurveyPoller --forward-to http://localhost:3000/events --secret WEBHOOK_SECRET",
        ),
    )
    .action((options) =>
      act(options, async (io) => {
        const url = forwardUrl(options.forwardTo, options.allowRemote === true);
        const secret = options.secret === undefined ? freshSecret() : readSecret(options.secret, io);
        if (options.secret === undefined)
          io.say(`Signed with ${secret}, made for this run: --secret names one of yours.`);
        let failedInARow = 0;
        await listening(options, io, async (body) => {
          const answer = await post(body, { ...io, url, secret });
          failedInARow = answer.outcome === "taken" ? 0 : failedInARow + 1;
          io.out(options.json === true ? toJson(answer) : answerLine(answer, io));
        });
        if (failedInARow === 0) return undefined;
        throw new CommandError(
          "CONSUMER_FAILED",
          `the consumer did not take the last ${count(failedInARow, "event")}`,
          {
            hint: "Each was posted once; other subscribers are not concerned. survey-poller trigger --yes sends a test event.",
          },
        );
      }),
    );
