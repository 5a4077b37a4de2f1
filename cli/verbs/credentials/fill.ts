import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { confirm, isCancel } from "@clack/prompts";
import { checkCredentials } from "../../credentials/check.ts";
import { givenCredentials } from "../../credentials/given.ts";
import { CancelledError } from "../../credentials/hidden-prompt.ts";
import { fillSecret, lookAtSecret } from "../../credentials/secret.ts";
import type { Io } from "../../io.ts";
import { DRY_RUN } from "../../verb.ts";
import type { CredentialsAnswer } from "./answer.ts";

export interface Wanted {
  client: SecretsManagerClient;
  secretId: string;
  /** Whose they are, where that is known. */
  source: string | undefined;
  /** Of the service that is asked first. */
  baseUrl: string | undefined;
  yes: boolean;
}

/**
 * Fills a source's credentials secret: finds it, has the credentials given, tries them where it is told the service, writes them.
 *
 * @throws PollerError when nothing was written
 */
export async function fillCredentials(
  { client, secretId, source, baseUrl, yes }: Wanted,
  io: Io,
): Promise<CredentialsAnswer> {
  // First: nobody should type credentials for a secret that is not there.
  const isFilled = await lookAtSecret(client, secretId);
  const terminal = { input: io.input, output: io.talk };
  const { credentials, from } = await givenCredentials({
    ...terminal,
    source,
    secretId,
    environment: io.environment,
  });
  if (baseUrl !== undefined) await checkCredentials(baseUrl, credentials);
  const answer = { secretId, replaces: isFilled ?? null, from, checked: baseUrl !== undefined };
  // Who has just typed them would have to type them again.
  const isMeant = yes || (from === "the terminal" && io.isInteractive && (await isConfirmed(secretId, io)));
  if (!isMeant) {
    io.say(DRY_RUN);
    return { dryRun: true, ...answer, version: null };
  }
  return { dryRun: false, ...answer, version: await fillSecret(client, secretId, credentials) };
}

async function isConfirmed(secretId: string, { input, talk }: Io): Promise<boolean> {
  const message = `Write them into ${secretId}?`;
  const said = await confirm({
    message,
    input: input as NodeJS.ReadStream,
    output: talk as NodeJS.WriteStream,
  });
  if (isCancel(said)) throw new CancelledError("cancelled", { hint: "Nothing was written." });
  return said;
}

/** The outcome in words for people. */
export function credentialsText({ dryRun, secretId, replaces, version, from, checked }: CredentialsAnswer): string[] {
  const service = checked ? "accepted by the service" : "not checked with the service";
  const done = replaces ? "replaced" : "filled";
  if (dryRun) return [`would be ${done}: ${secretId}`, `The credentials are from ${from}, ${service}.`];
  return [
    `${done}: ${secretId}, version ${version}`,
    `The credentials are from ${from}, ${service}. The next tick that needs a token reads them.`,
  ];
}
