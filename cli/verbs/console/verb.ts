import { InterruptedError } from "../../errors.ts";
import { openTarget } from "../../target/open-target.ts";
import { examples, port, targetVerb, toJson, type Verb } from "../../verb.ts";

/** The output of `console --json`, beside `schemaVersion`, once the page can be opened. */
export interface ConsoleAnswer {
  /** With the token of this run, without which the page shows nothing. */
  url: string;
  poller: string;
  /** Whether the page may pause, resume and audit. */
  actions: boolean;
  /** Whether events are heard, by a temporary rule and queue. */
  events: boolean;
}

const PORT = 4747;

const ABOUT = `
Serves the page on this machine alone, until Ctrl-C. It shows what status and explain answer, and events as
they come: by a temporary rule and queue, as tail does.
`;

export const consoleVerb: Verb = (act) =>
  targetVerb("console", "the live page of a poller")
    .option("--port <number>", `this port, or the next that is free (default ${PORT})`, port)
    .option("--allow-actions", "of a stack: the page may pause, resume and audit")
    .option("--no-events", "makes no rule and no queue: the page shows the state alone")
    .addHelpText("after", ABOUT + examples("console --stack SurveyPoller", "console --data .survey-poller --port 5000"))
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const mayAct = target.stack === undefined || options.allowActions === true;
        const { events: hears } = options;
        // Loaded here: no other verb needs a server.
        const { servePage } = await import("./serve-page.ts");
        await servePage(target, { ...options, port: options.port ?? PORT, mayAct, hears }, io, (url) => {
          const answer: ConsoleAnswer = { url, poller: target.name, actions: mayAct, events: hears };
          if (options.json === true) io.out(toJson(answer));
          else io.out(`live page of the ${target.name}: ${url}`);
          if (!mayAct) io.say("It only reads: --allow-actions lets it pause, resume and audit.");
        });
        throw new InterruptedError();
      }),
    );
