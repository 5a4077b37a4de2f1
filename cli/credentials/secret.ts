import { DescribeSecretCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { errorCode } from "../../lib/errors.ts";
import { describeFailure } from "../../lib/monitoring/log.ts";
import { type Credentials, createSurveyApi } from "../../lib/survey-api/index.ts";
import { CommandError, exitOf } from "../errors.ts";
import { credentialsFailure } from "../target/aws-failure.ts";
import type { ClientSettings } from "../target/target.ts";

/** Works with the secrets of an account and a region. A person waits for it. */
export async function withSecrets<T>(
  settings: ClientSettings,
  work: (client: SecretsManagerClient) => Promise<T>,
): Promise<T> {
  const requestHandler = { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true };
  const client = new SecretsManagerClient({ ...settings, maxAttempts: 3, requestHandler });
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

/**
 * Whether the secret has a value already; undefined when it may not be looked at, which whoever may fill it need not be allowed to.
 *
 * @throws CommandError where filling it would fail too
 */
export async function lookAtSecret(client: SecretsManagerClient, secretId: string): Promise<boolean | undefined> {
  try {
    const answer = await client.send(new DescribeSecretCommand({ SecretId: secretId }));
    if (answer.DeletedDate !== undefined) throw inWords("InvalidRequestException", secretId, "");
    return Object.values(answer.VersionIdsToStages ?? {}).some((stages) => stages.includes("AWSCURRENT"));
  } catch (error) {
    const failure = await failureOf(error, client, secretId);
    if (failure.code === "ACCESS_DENIED") return undefined;
    throw failure;
  }
}

/**
 * Puts credentials into the secret, and gives the id of its new version.
 *
 * @throws CommandError
 */
export async function fillSecret(
  client: SecretsManagerClient,
  secretId: string,
  { clientId, clientSecret }: Credentials,
): Promise<string> {
  const value = JSON.stringify({ clientId, clientSecret });
  try {
    const answer = await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: value }));
    return answer.VersionId ?? "unknown";
  } catch (error) {
    throw await failureOf(error, client, secretId);
  }
}

async function failureOf(error: unknown, client: SecretsManagerClient, secretId: string): Promise<CommandError> {
  if (error instanceof CommandError) return error;
  const region = await Promise.resolve()
    .then(() => client.config.region())
    .catch(() => undefined);
  if (region !== undefined) return credentialsFailure(error) ?? inWords(errorCode(error), secretId, region, error);
  return failed("AWS_REGION_MISSING", "no AWS region is set", "Set AWS_REGION to the region of the stack.", error);
}

function failed(code: string, message: string, hint: string, cause: unknown): CommandError {
  return new CommandError(code, message, { hint, cause }, exitOf(code));
}

/** The SDK's own message stays out: it may repeat what it was given. */
function inWords(name: string, secretId: string, region: string, cause?: unknown): CommandError {
  const fail = (code: string, message: string, hint: string) => failed(code, message, hint, cause);
  if (name === "ResourceNotFoundException") {
    const hint = "Deploy the stack first. If it is there: are --stack, --source and the region right?";
    return fail("SECRET_NOT_FOUND", `there is no secret ${secretId} in ${region}`, hint);
  }
  if (name === "InvalidRequestException") {
    const hint = `Bring it back: aws secretsmanager restore-secret --secret-id ${secretId}`;
    return fail("SECRET_DELETED", `the secret ${secretId} is marked for deletion`, hint);
  }
  if (/AccessDenied|NotAuthorized/.test(name)) {
    const hint =
      "It takes secretsmanager:PutSecretValue on it and, with a key of your own, kms:GenerateDataKey and kms:Decrypt.";
    return fail("ACCESS_DENIED", `you may not write the secret ${secretId} in ${region}`, hint);
  }
  const hint = "Nothing was written. Look at the network and the region, then try again.";
  return fail("SECRETS_MANAGER_FAILED", `Secrets Manager in ${region} could not be used (${name})`, hint);
}

/**
 * Asks the survey service for a token, which is then thrown away. A service that gives one at a time takes the poller's with that: the poller
 * asks for another.
 *
 * @throws CommandError
 */
export async function checkCredentials(baseUrl: string, credentials: Credentials): Promise<void> {
  const timeouts = { connect: 5_000, headers: 15_000, body: 15_000, call: 20_000 };
  const api = createSurveyApi({ baseUrl, credentials, timeouts });
  try {
    await api.token();
  } catch (error) {
    const { code, message, hint } = describeFailure(error);
    const next =
      code === "WRONG_CREDENTIALS"
        ? "Try again with the right ones."
        : `${hint} Without --base-url they are written unchecked.`;
    throw failed(errorCode(error), `nothing was written: ${message}`, next, error);
  } finally {
    await api.close();
  }
}
