import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { checkCredentials } from "./check.ts";
import { givenCredentials } from "./given.ts";
import type { Terminal } from "./hidden-prompt.ts";
import { createSecretsClient, fillSecret, lookAtSecret } from "./secret.ts";
import { parseCredentialsLine, usage } from "./usage.ts";

export interface CredentialsRequest {
  args: string[];
  environment: Record<string, string | undefined>;
  /** Questions go to its output, which is not that of the answer. */
  terminal: Terminal;
  say: (line: string) => void;
  /** Default: as the environment of the process says. */
  client?: SecretsManagerClient;
}

/**
 * Fills a source's credentials secret: finds it, has the credentials given, tries them where it is told the service, writes them.
 *
 * @throws PollerError when nothing was written
 */
export async function fillCredentials({
  args,
  environment,
  terminal,
  say,
  ...given
}: CredentialsRequest): Promise<void> {
  const { help, secretId, source, baseUrl } = parseCredentialsLine(args);
  if (help) return say(usage.trimEnd());
  const client = given.client ?? createSecretsClient();
  try {
    // First: nobody should type credentials for a secret that is not there.
    const isFilled = await lookAtSecret(client, secretId);
    const { credentials, from } = await givenCredentials({ ...terminal, source, secretId, environment });
    if (baseUrl !== undefined) await checkCredentials(baseUrl, credentials);
    const version = await fillSecret(client, secretId, credentials);
    const checked = baseUrl === undefined ? "not checked with the service" : "accepted by the service";
    say(`${isFilled ? "replaced" : "filled"}: ${secretId}, version ${version}`);
    say(`The credentials are from ${from}, ${checked}. The next tick that needs a token reads them.`);
  } finally {
    client.destroy();
  }
}
