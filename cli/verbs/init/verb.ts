import { UsageError } from "../../flags.ts";
import { examples, type Verb, verb, yesOption } from "../../verb.ts";
import { initialise, initText } from "./write.ts";

const ABOUT = `
In a terminal it asks for what no flag says. Credentials for the check are those of SURVEY_CLIENT_ID and
SURVEY_CLIENT_SECRET, or are asked for. They go into no file: into the stack's secret, where there is one.`;

export const initVerb: Verb = (act) =>
  verb("init", "writes a configuration file, checked with the survey service")
    .option("--base-url <url>", "address of the survey service")
    .option("--start-from <when>", "now (default), beginning, or a date such as 2026-01-31")
    .option("--time-zone <zone>", "of the service's dates (default: as doctor finds it)")
    .option("--surveys <ids>", "only these surveys, with commas between")
    .option("--interval <duration>", "between two polls, in whole minutes (default 1m)")
    .option("--name <source>", "of the source (default main)")
    .option("--file <path>", "the file that is written", "survey-poller.json")
    .option("--stack <name>", "the stack that will have it", "SurveyPoller")
    .option("--no-check", "do not look at the service")
    .option("--force", "replace a file that is there")
    .addOption(yesOption())
    .addHelpText("after", ABOUT)
    .addHelpText("after", examples("init", "init --base-url https://surveys.example.com --start-from beginning --yes"))
    .action((options) =>
      act(options, async (io) => {
        if (!/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(options.stack)) {
          throw new UsageError("--stack is not the name of a stack", { hint: "See survey-poller init --help." });
        }
        const { json: _, force, yes, ...wanted } = options;
        const data = await initialise({ ...wanted, force: force === true, yes: yes === true }, io);
        return { data, text: initText(data) };
      }),
    );
