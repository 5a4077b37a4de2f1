import { lineOf, masked } from "../hearing/event.ts";
import { countOption, filterOption, forOption, listening } from "../hearing/listening.ts";
import { targetVerb, toJson, type Verb } from "../verb.ts";

const MASKED =
  "Personal fields are null (answers, comments, metadata, country, key and code of the response): --reveal shows them.";

const HELP = `
Examples:
  survey-poller tail --stack SurveyPoller
  survey-poller tail --for 10m --filter '{"detail":{"data":{"surveyId":[103]}}}'
  survey-poller tail --json --filter '{"detail-type":["books.closed"]}'`;

export const tailVerb: Verb = (act) =>
  targetVerb("tail", "shows events live, until Ctrl-C", HELP)
    .addOption(filterOption())
    .addOption(forOption())
    .addOption(countOption())
    .option("--reveal", "with --json: do not mask what may be personal")
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
