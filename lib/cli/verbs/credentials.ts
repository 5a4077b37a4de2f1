import { DescribeSecretCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { Argument, Option } from "@commander-js/extra-typings";
import { secretNames } from "../../config/secret-names.ts";
import { errorCode } from "../../errors.ts";
import { isObject } from "../../json.ts";
import { describeFailure } from "../../monitoring/log.ts";
import { parseJson, readSecret } from "../../secrets/secret-values.ts";
import { baseUrlProblem } from "../../survey-api/base-url.ts";
import { type Credentials, createSurveyApi } from "../../survey-api/index.ts";
import { CommandError, exitOf, UsageError } from "../errors.ts";
import { givenCredentials, isConfirmed } from "../given-credentials.ts";
import type { Io } from "../io.ts";
import { awsFailure, closing } from "../target/aws-failure.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import { type ClientSettings, oneSource, type Target } from "../target/target.ts";
import { targetVerb, type Verb, yesOption } from "../verb.ts";
import { ago } from "../words.ts";

const HELP = `
They are asked for, and not shown while they are typed. Or they come from SURVEY_CLIENT_ID and
SURVEY_CLIENT_SECRET, or from standard input, as {"clientId":"…","clientSecret":"…"} or as two lines.
No flag takes them: flags stay in the shell's history. The stack is SurveyPoller and the source main
unless another one is named. A secret that sources share has an entry for each: --secret NAME --source NAME.
With renew the function asks for a new token at once. The token itself is never shown.

Examples:
  survey-poller credentials --stack SurveyPoller --base-url https://surveys.example.com --yes
  survey-poller credentials --data .survey-poller --yes < credentials.json
  survey-poller credentials renew --stack SurveyPoller --yes`;

export const credentialsVerb: Verb = (act) =>
  targetVerb("credentials", "puts client id and client secret into the secret that was made for them", HELP)
    .addArgument(
      new Argument("[renew]", "asks for a new token in the place of the one that is kept").choices(["renew"] as const),
    )
    .option("--source <name>", "the source whose credentials they are")
    .addOption(
      new Option("--secret <name>", "the secret itself, by name or ARN; with --source, its entry there").conflicts(
        "stack",
      ),
    )
    .option("--base-url <url>", "ask this survey service first, and write nothing that it refuses")
    .addOption(yesOption())
    .action((renews, options) =>
      act(options, async (io) => {
        const problem = options.baseUrl === undefined ? undefined : baseUrlProblem(options.baseUrl);
        if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint: "See --help." });
        if (renews !== undefined) {
          const data = await renewToken(options, io);
          return { data, text: renewText(data, io.now()), isDry: data.dryRun };
        }
        const data = await fill(options, io);
        return { data, text: credentialsText(data), isDry: data.dryRun };
      }),
    );

interface Options extends Flags {
  secret?: string | undefined;
  baseUrl?: string | undefined;
}

async function fill({ stack = "SurveyPoller", data, source, secret, baseUrl, yes }: Options, io: Io) {
  if (data === undefined) {
    // Of a stack the name of the secret is known: who fills it need not be allowed to look at the stack.
    const name = source ?? "main";
    const own = { secretId: secretName(stack, name), source: name };
    const of = secret === undefined ? own : { secretId: secret, source, entry: source };
    using client = secretsClient();
    return await fillCredentials({ client, ...of, baseUrl, yes }, io);
  }
  await using target = await openTarget({ data }, io);
  const one = await oneSource(target, source);
  const secretId = secret ?? secretNames(one, target.resources.secrets).credentials;
  using client = secretsClient(target.client("secretsmanager"));
  return await fillCredentials({ client, secretId, source: one.name, baseUrl, yes }, io);
}

interface Wanted {
  client: SecretsManagerClient;
  secretId: string;
  /** Whose they are, where that is known. */
  source: string | undefined;
  /** Under which they stand in a secret that sources share; undefined where they are all that is in it. */
  entry?: string | undefined;
  baseUrl: string | undefined;
  yes?: true | undefined;
}

/** The output of `credentials --json`, beside `schemaVersion`. */
export type CredentialsAnswer = Awaited<ReturnType<typeof fillCredentials>>;

/** Fills a source's credentials secret: finds it, has the credentials given, tries them where it is told the service, writes them. */
export async function fillCredentials({ client, secretId, source, entry, baseUrl, yes }: Wanted, io: Io) {
  // First: nobody should type credentials for a secret that is not there.
  const isFilled = await lookAtSecret(client, secretId);
  const { credentials, from } = await givenCredentials({ source, secretId }, io);
  if (baseUrl !== undefined) await checkCredentials(baseUrl, credentials);
  // Null: nobody may look whether there was a value before.
  const answer = { secretId, replaces: isFilled ?? null, from, checked: baseUrl !== undefined };
  // Who has just typed them would have to type them again.
  const isMeant =
    yes === true ||
    (from === "the terminal" && io.isInteractive && (await isConfirmed(`Write them into ${secretId}?`, io)));
  if (!isMeant) return { dryRun: true, ...answer, version: null };
  return { dryRun: false, ...answer, version: await fillSecret(client, secretId, credentials, entry) };
}

function credentialsText({ dryRun, secretId, replaces, version, from, checked }: CredentialsAnswer): string[] {
  const service = checked ? "accepted by the service" : "not checked with the service";
  const done = replaces ? "replaced" : "filled";
  const what = `The credentials are from ${from}, ${service}.`;
  if (dryRun) return [`would be ${done}: ${secretId}`, what];
  return [`${done}: ${secretId}, version ${version}`, `${what} The next tick that needs a token reads them.`];
}

/** The output of `credentials renew --json`, beside `schemaVersion`. Times are epoch milliseconds. */
export type RenewAnswer = Awaited<ReturnType<typeof renewToken>>;

async function renewToken(options: Options, io: Io) {
  if (options.secret !== undefined || options.baseUrl !== undefined) {
    throw new UsageError("renew takes neither --secret nor --base-url", { hint: "The source says both." });
  }
  await using target = await openTarget(options, io);
  const one = await oneSource(target, options.source);
  const source = one.name;
  const secretId = secretNames(one, target.resources.secrets).token;
  const about = { source, secretId, keptSince: await keptSince(target, secretId) };
  if (options.yes !== true) return { dryRun: true, ...about, expiresAt: null, shape: null };
  const { expiresAt, shape, isKept } = await target.operate(source, "renew-token", {});
  if (!isKept) {
    const hint = "It works for this one process alone. Look at the function's permission to write the secret.";
    throw new CommandError("TOKEN_NOT_KEPT", `the new token could not be put into ${secretId}`, { hint });
  }
  return { dryRun: false, ...about, expiresAt, shape };
}

/** When a token was put into its secret (epoch milliseconds); null where there is none, or that is not known. Its value is not read. */
export async function keptSince({ clients }: Target, secretId: string): Promise<number | null> {
  try {
    const answer = await clients.secrets.send(new DescribeSecretCommand({ SecretId: secretId }));
    const isFilled = Object.keys(answer.VersionIdsToStages ?? {}).length > 0;
    return isFilled ? (answer.LastChangedDate?.getTime() ?? null) : null;
  } catch {
    return null;
  }
}

function renewText(answer: RenewAnswer, now: number): string[] {
  const { dryRun, source, secretId, keptSince, expiresAt, shape } = answer;
  const old = keptSince === null ? "none that is known" : `one of ${ago(keptSince, now)}`;
  if (dryRun) {
    return [
      `The function would ask the service of ${source} for a token, and put it into ${secretId} in the place of ${old}.`,
      "A service that gives one token at a time ends the old one with that.",
    ];
  }
  const until = expiresAt === null ? "" : ` It holds until ${new Date(expiresAt).toISOString()}.`;
  return [
    `A new token of ${source} is in ${secretId}, in the place of ${old}.${until}`,
    ...(shape === null ? [] : [`It came as ${shape}.`]),
  ];
}

export function secretName(stack: string, source: string): string {
  return secretNames({ name: source }, { prefix: stack }).credentials;
}

/** A client of the secrets of an account and a region. A person waits for it. */
export function secretsClient(settings: ClientSettings = {}): SecretsManagerClient & Disposable {
  const requestHandler = { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true };
  return closing(new SecretsManagerClient({ ...settings, maxAttempts: 3, requestHandler }));
}

/** Whether the secret has a value already; undefined when it may not be looked at, which whoever may fill it need not be allowed to. */
export async function lookAtSecret(client: SecretsManagerClient, secretId: string): Promise<boolean | undefined> {
  const describe = new DescribeSecretCommand({ SecretId: secretId });
  try {
    const { DeletedDate, VersionIdsToStages = {} } = await ofSecret(client, secretId, () => client.send(describe));
    if (DeletedDate !== undefined) throw isDeleted(secretId);
    return Object.values(VersionIdsToStages).some((stages) => stages.includes("AWSCURRENT"));
  } catch (error) {
    if (errorCode(error) === "ACCESS_DENIED") return undefined;
    throw error;
  }
}

/** Puts credentials into the secret, and gives the id of its new version. With an entry, what is there of other sources stays. */
export function fillSecret(
  client: SecretsManagerClient,
  secretId: string,
  { clientId, clientSecret }: Credentials,
  entry?: string,
): Promise<string> {
  return ofSecret(client, secretId, async () => {
    let value: object = { clientId, clientSecret };
    if (entry !== undefined) {
      const others = parseJson((await readSecret(client, secretId)) ?? "{}");
      const hint = "It must be a JSON object with an entry for each source.";
      // One of another form would be lost.
      if (!isObject(others))
        throw new CommandError("SECRET_UNREADABLE", `the secret ${secretId} holds something else`, { hint });
      value = { ...others, [entry]: value };
    }
    const put = new PutSecretValueCommand({ SecretId: secretId, SecretString: JSON.stringify(value) });
    return (await client.send(put)).VersionId ?? "unknown";
  });
}

async function ofSecret<T>(client: SecretsManagerClient, secretId: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (errorCode(error) === "InvalidRequestException") throw isDeleted(secretId);
    if (errorCode(error) !== "ResourceNotFoundException") {
      throw awsFailure(`the secret ${secretId} could not be used`, error);
    }
    const hint =
      "Deploy the stack first. If it is there: are --stack, --source and the region right? A credentialsSecret of the source is named by --secret.";
    const message = `there is no secret ${secretId} in ${await client.config.region()}`;
    throw new CommandError("SECRET_NOT_FOUND", message, { hint, cause: error });
  }
}

function isDeleted(secretId: string): CommandError {
  const hint = `Bring it back: aws secretsmanager restore-secret --secret-id ${secretId}`;
  return new CommandError("SECRET_DELETED", `the secret ${secretId} is marked for deletion`, { hint });
}

/**
 * Asks the survey service for a token, which is then thrown away. A service that gives one at a time takes the poller's with that: the poller
 * asks for another.
 */
async function checkCredentials(baseUrl: string, credentials: Credentials): Promise<void> {
  const timeouts = { connect: 5_000, headers: 15_000, body: 15_000, call: 20_000 };
  const api = createSurveyApi({ baseUrl, credentials, timeouts });
  try {
    await api.token();
  } catch (error) {
    const { code, message, hint: advice } = describeFailure(error);
    const unchecked = `${advice} Without --base-url they are written unchecked.`;
    const hint = code === "WRONG_CREDENTIALS" ? "Try again with the right ones." : unchecked;
    const options = { hint, cause: error };
    throw new CommandError(errorCode(error), `nothing was written: ${message}`, options, exitOf(errorCode(error)));
  } finally {
    await api.close();
  }
}
