import { lineOf, masked } from "../hearing/event.ts";
import { countOption, filterOption, forOption, listening } from "../hearing/listening.ts";
import { examples, targetVerb, toJson, type Verb } from "../verb.ts";

const MASKED =
  "Personal fields are null (answers, comments, metadata, country, key and code of the response): --reveal shows them.";

export const tailVerb: Verb = (act) =>
  targetVerb("tail", "shows events live, until Ctrl-C")
    .addOption(filterOption())
    .addOption(forOption())
    .addOption(countOption())
    .option("--reveal", "with --json: do not mask what may be personal")
    .addHelpText(
      "after",
      examples(
        "tail --stack SurveyPoller",
        `tail --for 10m --filter '{"detail":{"data":{"surveyId":[103]}}}'`,
        `tail --json --filter '{"detail-type":["books.closed"]}'`,
      ),
    )
    .action((options) =>
      act(options, async (io) => {
        const show = (envelope: Readonly<Record<string, unknown>>) =>
          options.reveal === true ? envelope : masked(envelope);
        if (options.json === true && options.reveal !== true) io.say(MASKED);
        await listening(options, io, (body) => {
          if (options.json === true) io.out(toJson(show(JSON.parse(body))));
          else io.out(lineOf(body, io));
        });
        return undefined;
      }),
    );
