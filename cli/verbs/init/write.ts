import { existsSync, writeFileSync } from "node:fs";
import { confirm, isCancel } from "@clack/prompts";
import { describeFailure } from "../../../lib/monitoring/log.ts";
import type { Credentials } from "../../../lib/survey-api/index.ts";
import { CancelledError } from "../../credentials/hidden-prompt.ts";
import { createSecretsClient, fillSecret, lookAtSecret } from "../../credentials/secret.ts";
import { CommandError } from "../../errors.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { DRY_RUN } from "../../verb.ts";
import { secretName } from "../credentials/secret-name.ts";
import type { InitAnswer } from "./answer.ts";
import { checkService } from "./checked.ts";
import { askFor, configOf, type Wishes } from "./given.ts";

export interface InitOptions extends Wishes {
  file: string;
  stack: string;
  check: boolean;
  force: boolean;
  yes: boolean;
}

/**
 * Makes a configuration of flags and answers, tries it with the service, and writes it.
 *
 * @throws PollerError when nothing was written
 */
export async function initialise(
  { file, stack, check, force, yes, ...wishes }: InitOptions,
  io: Io,
): Promise<InitAnswer> {
  const replaces = existsSync(file);
  // First: nobody should answer questions for nothing.
  if (replaces && !force) {
    throw new UsageError("there is a file of that name already", {
      hint: "Give another --file, or --force to replace it.",
    });
  }
  const wanted = await askFor(wishes, io);
  const { baseUrl } = configOf(wanted) as { baseUrl: string };
  const checked = check ? await checkService(baseUrl, io) : undefined;
  const config = configOf({ ...wanted, timeZone: wanted.timeZone ?? checked?.timeZone });

  const secretId = secretName(stack, wanted.name ?? "main");
  const mayStore = checked !== undefined && (await isThere(secretId));
  let isStored = mayStore;
  const isMeant = yes || (io.isInteractive && (await isConfirmed(file, config, io)));
  if (isMeant) {
    write(file, config, { force });
    isStored = mayStore && (await store(secretId, checked.credentials, io));
  } else io.say(DRY_RUN);
  return {
    ...{ dryRun: !isMeant, file, replaces, config, checked: check },
    // Once a zone is there nothing is to be said of it.
    notes: checked?.notes.filter((note) => !("timeZone" in config && note.includes("`timeZone`"))) ?? [],
    secret: { secretId, stored: isStored },
    next: nextOf({ file, stack, source: wanted.name, baseUrl, isStored }),
  };
}

function write(file: string, config: object, { force }: { force: boolean }): void {
  try {
    writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { flag: force ? "w" : "wx" });
  } catch (error) {
    const hint = "Give another --file, in a folder that is there and may be written to.";
    throw new CommandError("FILE_NOT_WRITTEN", "the file could not be written", { hint, cause: error });
  }
}

async function isConfirmed(file: string, config: object, { input, talk }: Io): Promise<boolean> {
  talk.write(`${JSON.stringify(config, null, 2)}\n`);
  const on = { input: input as NodeJS.ReadStream, output: talk as NodeJS.WriteStream };
  const said = await confirm({ ...on, message: `Write it to ${file}?` });
  if (isCancel(said)) throw new CancelledError("cancelled", { hint: "Nothing was written." });
  return said;
}

/** Whether the stack has been deployed before. Whatever keeps it from being seen, the credentials can be filled in later. */
async function isThere(secretId: string): Promise<boolean> {
  const client = createSecretsClient();
  try {
    return (await lookAtSecret(client, secretId)) !== undefined;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

/** Stores the credentials. If that fails now they can be filled in later. */
async function store(secretId: string, credentials: Credentials, io: Io): Promise<boolean> {
  const client = createSecretsClient();
  try {
    await fillSecret(client, secretId, credentials);
    return true;
  } catch (error) {
    const { message, hint } = describeFailure(error);
    io.say(`The credentials are not stored: ${message}. ${hint}`);
    return false;
  } finally {
    client.destroy();
  }
}

interface NextOf {
  file: string;
  stack: string;
  source: string | undefined;
  baseUrl: string;
  isStored: boolean;
}

/** As README.md has it. */
function nextOf({ file, stack, source, baseUrl, isStored }: NextOf): string[] {
  const context = `-c config=${quoted(file)}${stack === "SurveyPoller" ? "" : ` -c stackName=${stack}`}`;
  const of = source === undefined ? "" : ` --source ${source}`;
  const fill = `npx survey-poller credentials --stack ${stack}${of} --base-url ${baseUrl} --yes`;
  return [
    ...(isStored ? [] : [`npx cdk bootstrap ${context}`]),
    `npx cdk deploy ${context}`,
    ...(isStored ? [] : [fill]),
    `npx survey-poller doctor --stack ${stack}`,
  ];
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The outcome in words for people. */
export function initText({ dryRun, file, config, notes, secret, next }: InitAnswer): string[] {
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
