import { Stack, Validations } from "aws-cdk-lib";
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { ConfigError } from "../lib/config.ts";

/** Lambda allows 4 KB for all environment variables together; this leaves room for the others. */
const ENVIRONMENT_SHARE = 3 * 1024;

export interface SourceSecrets {
  source: string;
  credentials: CfnSecret;
  token: CfnSecret;
  credentialsName: string;
  tokenName: string;
}

/**
 * The two secrets of a source, without a value: one in the template would overwrite, on its next change, what the operator
 * or the poller has put there, and a generated one would look like a credential.
 */
export function createSourceSecrets(scope: Construct, source: string): SourceSecrets {
  const prefix = `${Stack.of(scope).stackName}/${source}`;
  const credentialsName = `${prefix}/credentials`;
  const tokenName = `${prefix}/token`;
  const credentials = new CfnSecret(scope, `Credentials-${source}`, {
    name: credentialsName,
    description: `Survey service, source ${source}: {"clientId":"...","clientSecret":"..."}, put here by the operator`,
  });
  const token = new CfnSecret(scope, `Token-${source}`, {
    name: tokenName,
    description: `Survey service, source ${source}: the access token, kept by the poller`,
  });
  const rule = "AwsSolutions-SMG4";
  Validations.of(credentials).acknowledge({
    id: rule,
    reason:
      "The operator of the survey service issues the credentials on request; they cannot be renewed by a program.",
  });
  Validations.of(token).acknowledge({
    id: rule,
    reason: "The poller renews the token whenever the service refuses it.",
  });
  return { source, credentials, token, credentialsName, tokenName };
}

/**
 * The functions' `SECRETS` variable: `{"<source>":{"credentials":"<name>","token":"<name>"}}`.
 *
 * @throws ConfigError when there are more sources than fit
 */
export function secretsVariable(secrets: readonly SourceSecrets[]): string {
  const text = JSON.stringify(
    Object.fromEntries(
      secrets.map(({ source, credentialsName, tokenName }) => [
        source,
        { credentials: credentialsName, token: tokenName },
      ]),
    ),
  );
  if (Buffer.byteLength(text) > ENVIRONMENT_SHARE) {
    const message = "too many for one deployment (their names do not fit into the 4 KB Lambda has for its environment)";
    throw new ConfigError([{ path: "sources", message }], { hint: "Deploy a second stack for some of the sources." });
  }
  return text;
}
