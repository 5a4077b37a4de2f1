import { existsSync, writeFileSync } from "node:fs";
import { select, text } from "@clack/prompts";
import { ConfigError, parseConfig } from "../../config/index.ts";
import { describeFailure } from "../../monitoring/log.ts";
import { baseUrlProblem } from "../../survey-api/base-url.ts";
import { CommandError, exitOf, InterruptedError, orNotWritten, UsageError } from "../errors.ts";
import { answered, isConfirmed, promptsOn } from "../given-credentials.ts";
import type { Io } from "../io.ts";
import { type Verb, verb, yesOption } from "../verb.ts";
import { quoted } from "../words.ts";
import { fillSecret, lookAtSecret, secretName, secretsClient } from "./credentials.ts";
import { credentialsFor, lookAtService } from "./doctor.ts";

const HELP = `
In a terminal it asks for what no flag says. Credentials for the check are those of SURVEY_CLIENT_ID and
SURVEY_CLIENT_SECRET, or are asked for. They go into no file: into the stack's secret, where there is one.

Examples:
  survey-poller init
  survey-poller init --base-url https://surveys.example.com --start-from beginning --yes`;

export const initVerb: Verb = (act) =>
  verb("init", "writes a configuration file, checked with the survey service", HELP)
    .option("--base-url <url>", "address of the survey service")
    .option("--start-from <when>", "now (default), beginning, or a date such as 2026-01-31")
    .option("--time-zone <zone>", "of the service's dates (default: as doctor finds it)")
    .option("--surveys <ids>", "only these surveys, with commas between")
    .option("--interval <duration>", "between two polls: whole minutes, or 10s, 12s, 15s, 20s, 30s (default 1m)")
    .option("--name <source>", "of the source (default main)")
    .option("--file <path>", "the file that is written", "survey-poller.json")
    .option("--stack <name>", "the stack that will have it", "SurveyPoller")
    .option("--no-check", "do not look at the service")
    .option("--force", "replace a file that is there")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        if (!/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(options.stack)) {
          throw new UsageError("--stack is not the name of a stack", { hint: "See survey-poller init --help." });
        }
        const { json: _, force, yes, ...wanted } = options;
        const data = await initialise({ ...wanted, force: force === true, yes: yes === true }, io);
        return { data, text: initText(data), isDry: data.dryRun };
      }),
    );

interface InitOptions extends Wishes {
  file: string;
  stack: string;
  check: boolean;
  force: boolean;
  yes: boolean;
}

/** The output of `init --json`, beside `schemaVersion`. */
export type InitAnswer = Awaited<ReturnType<typeof initialise>>;

async function initialise({ file, stack, check, force, yes, ...wishes }: InitOptions, io: Io) {
  const replaces = existsSync(file);
  // First: nobody should answer questions for nothing.
  if (replaces && !force) {
    const hint = "Give another --file, or --force to replace it.";
    throw new UsageError("there is a file of that name already", { hint });
  }
  const wanted = await askFor(wishes, io);
  const { baseUrl } = configOf(wanted) as { baseUrl: string };
  const checked = check ? await checkService(baseUrl, wanted.timeZone, io) : undefined;
  const config = configOf({ ...wanted, timeZone: wanted.timeZone ?? checked?.timeZone });

  const secretId = secretName(stack, wanted.name ?? "main");
  using client = secretsClient();
  // Whether the stack has been deployed before. Whatever keeps it from being seen, the credentials can be filled in later.
  const isThere = async () => (await lookAtSecret(client, secretId)) !== undefined;
  const mayStore = checked !== undefined && (await isThere().catch(() => false));
  let isStored = mayStore;
  const written = `${JSON.stringify(config, null, 2)}\n`;
  if (!yes && io.isInteractive) io.talk.write(written);
  const isMeant = yes || (io.isInteractive && (await isConfirmed(`Write it to ${file}?`, io)));
  if (isMeant) {
    orNotWritten("--file", () => writeFileSync(file, written, { flag: force ? "w" : "wx" }));
    try {
      if (mayStore) await fillSecret(client, secretId, checked.credentials);
    } catch (error) {
      const { message, hint } = describeFailure(error);
      io.say(`The credentials are not stored: ${message}. ${hint}`);
      isStored = false;
    }
  }
  return {
    ...{ dryRun: !isMeant, file, replaces, config, checked: check, notes: checked?.notes ?? [] },
    // Stored: they are in it now, or in a dry run would be.
    secret: { secretId, stored: isStored },
    next: nextOf(file, isStored, { stack, source: wanted.name, baseUrl }),
  };
}

/** As README.md has it. */
function nextOf(
  file: string,
  stored: boolean,
  { stack, source, baseUrl }: { stack: string; source: string | undefined; baseUrl: string },
): string[] {
  const context = `-c config=${quoted(file)}${stack === "SurveyPoller" ? "" : ` -c stackName=${stack}`}`;
  const of = source === undefined ? "" : ` --source ${source}`;
  const fill = `npx survey-poller credentials --stack ${stack}${of} --base-url ${baseUrl} --yes`;
  const [deploy, doctor] = [`npx cdk deploy ${context}`, `npx survey-poller doctor --stack ${stack}`];
  return stored ? [deploy, doctor] : [`npx cdk bootstrap ${context}`, deploy, fill, doctor];
}

function initText({ dryRun, file, config, notes, secret, next }: InitAnswer): string[] {
  const would = dryRun ? "would be " : "";
  return [
    `${would}written: ${file}`,
    ...JSON.stringify(config, null, 2).split("\n"),
    ...(secret.stored ? [`credentials ${would}put into ${secret.secretId}`] : []),
    ...notes.map((note) => `Note: ${note}`),
    "",
    "Next:",
    ...next.map((line) => `  ${line}`),
  ];
}

/** The configuration in words, as flags or answers give it. */
interface Wishes {
  baseUrl?: string | undefined;
  name?: string | undefined;
  startFrom?: string | undefined;
  timeZone?: string | undefined;
  surveys?: string | undefined;
  interval?: string | undefined;
}

async function askFor(wishes: Wishes, io: Io): Promise<Wishes> {
  if (!io.isInteractive) return wishes;
  const on = promptsOn(io);
  const validate = (url: string | undefined) => baseUrlProblem(url ?? "");
  const address = { message: "Address of the survey service", placeholder: "https://surveys.example.com", validate };
  const baseUrl = wishes.baseUrl ?? answered(await text({ ...on, ...address }));
  const options = [
    { value: "now", label: "those that complete from now on" },
    { value: "beginning", label: "all that there are, the oldest first" },
    { value: "date", label: "those since a date" },
  ];
  let startFrom =
    wishes.startFrom ?? answered(await select({ ...on, message: "Which responses become events?", options }));
  if (startFrom === "date") startFrom = answered(await text({ ...on, message: "The date", placeholder: "2026-01-31" }));
  const which = "Ids of the surveys, with commas between (none: all of them)";
  const surveys = wishes.surveys ?? answered(await text({ ...on, message: which, defaultValue: "" }));
  return { ...wishes, baseUrl, startFrom, ...(surveys === "" ? {} : { surveys }) };
}

/** The configuration as it goes into the file: what is a default is left out. */
function configOf({ baseUrl, surveys, ...others }: Wishes): Record<string, unknown> {
  if (baseUrl === undefined) {
    const hint = "Give --base-url URL, the address of the survey service; in a terminal it is asked for.";
    throw new UsageError("--base-url is missing", { hint });
  }
  const ids = surveys?.split(",").map((id) => (/^\s*\d+\s*$/.test(id) ? Number(id) : id));
  const stated = Object.entries(others).filter(([, value]) => value !== undefined && value !== "");
  const chosen = ids === undefined ? {} : { surveys: { include: ids } };
  const config = { baseUrl, ...Object.fromEntries(stated), ...chosen };
  try {
    // As a deployment will read it.
    parseConfig(config, { deployed: true });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const named = error.problems.map(({ path, message }) => {
      // `timeZone` of a source is `--time-zone`.
      const [field = ""] = path.replace(/^sources\[0\]\./, "").split(/[.[]/);
      return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${message}`;
    });
    throw new UsageError(named.join("; "), { hint: "See survey-poller init --help." });
  }
  return config;
}

/** Looks at the service as doctor does, and gives the zone of its dates where it is known. */
async function checkService(baseUrl: string, wantedZone: string | undefined, io: Io) {
  const credentials = await credentialsFor(baseUrl, io);
  io.say("Looking at the service, as `survey-poller doctor` does …");
  const { checks, suggests } = await lookAtService({ baseUrl, credentials, timeZone: wantedZone }, io);
  if (io.signal.aborted) throw new InterruptedError();
  const failed = checks.find(({ state }) => state === "fail");
  if (failed !== undefined) {
    const { code, says, todo } = failed;
    const hint = `${todo ?? ""} Nothing was written. --no-check leaves this out.`.trim();
    const next = `survey-poller doctor --base-url ${baseUrl}`;
    throw new CommandError(code ?? "CHECK_FAILED", says, { hint, next }, exitOf(code ?? ""));
  }
  for (const { check, says, todo } of checks.filter(({ state }) => state === "warn")) {
    io.say(`${check}: ${says}. ${todo ?? ""}`.trim());
  }
  const { timeZone } = suggests.config;
  return { credentials, timeZone: typeof timeZone === "string" ? timeZone : undefined, notes: suggests.notes };
}
