import { ArnFormat, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnSecret, type ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { ConfigError, type SourceConfig } from "../lib/config/index.ts";
import { acknowledge, acknowledgeFinding, acknowledgeOwnKey } from "./findings.ts";

/** Lambda allows 4 KB for all environment variables together; this leaves room for the others. */
const ENVIRONMENT_SHARE = 3 * 1024;

/** A secret as permissions see it. */
export interface SecretReference {
  name: string;
  /** For policies: of one that is known by its name alone, any six characters stand for those that AWS has added. */
  arn: string;
  /** Undefined with a key that AWS owns, or one that is not known. */
  encryptionKey?: IKey | undefined;
}

export interface SourceSecrets {
  source: string;
  credentials: SecretReference;
  token: SecretReference;
}

export interface SourceSecretsProps {
  source: Pick<SourceConfig, "name" | "credentialsSecret">;
  /** Credentials that are there already. */
  existing?: ISecret | string | undefined;
  encryptionKey?: IKey | undefined;
}

/**
 * The two secrets of a source, without a value. A value in the template would overwrite, on its next change, what the operator or the
 * poller has put there. A generated one would look like a credential.
 */
export function createSourceSecrets(
  scope: Construct,
  { source: { name: source, credentialsSecret }, existing = credentialsSecret, encryptionKey }: SourceSecretsProps,
): SourceSecrets {
  const token = createSecret(scope, `Token-${source}`, {
    name: `${source}/token`,
    description: `Survey service, source ${source}: the access token, kept by the poller`,
    unrotated: "The poller renews the token whenever the service refuses it.",
    encryptionKey,
  });
  if (existing !== undefined) return { source, credentials: reference(scope, existing), token };
  const credentials = createSecret(scope, `Credentials-${source}`, {
    name: `${source}/credentials`,
    description: `Survey service, source ${source}: {"clientId":"...","clientSecret":"..."}, put here by the operator`,
    unrotated:
      "The operator of the survey service issues the credentials on request; they cannot be renewed by a program.",
    encryptionKey,
  });
  return { source, credentials, token };
}

interface OwnSecret {
  /** Behind the name of the stack. */
  name: string;
  description: string;
  /** Why it is not rotated. */
  unrotated: string;
  encryptionKey: IKey | undefined;
}

function createSecret(scope: Construct, id: string, { unrotated, encryptionKey, ...own }: OwnSecret): SecretReference {
  const name = `${Stack.of(scope).stackName}/${own.name}`;
  const all = Stack.of(scope).node.findAll();
  if (all.some((one) => one instanceof CfnSecret && one.name === name)) {
    const message = `another SurveyPoller of this stack has a secret ${name}: give this source another name`;
    throw new ConfigError([{ path: "sources", message }]);
  }
  const secret = new CfnSecret(scope, id, {
    name,
    description: own.description,
    kmsKeyId: encryptionKey?.keyArn,
  });
  // Credentials are not to lie about when nobody uses them, and a kept secret would stand in the way of the next deployment's.
  secret.applyRemovalPolicy(RemovalPolicy.DESTROY);
  acknowledgeFinding(secret, { id: "AwsSolutions-SMG4", reason: unrotated });
  acknowledge(secret, { SecretsManagerRotationEnabled: unrotated });
  acknowledgeOwnKey(secret, "SecretsManagerUsingKMSKey", encryptionKey);
  return { name, arn: secret.ref, encryptionKey };
}

/** Name and addresses of a secret that is there already. */
export function reference(scope: Construct, existing: ISecret | string): SecretReference {
  const anyVersion = "-??????";
  if (typeof existing !== "string") {
    const arn = existing.secretFullArn ?? `${existing.secretArn}${anyVersion}`;
    return { name: existing.secretName, arn, encryptionKey: existing.encryptionKey };
  }
  const arn = Stack.of(scope).formatArn({
    service: "secretsmanager",
    resource: "secret",
    resourceName: `${existing}${anyVersion}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return { name: existing, arn };
}

/**
 * The functions' `SECRETS` variable: `{"<source>":{"credentials":"<name>","token":"<name>"}}`.
 *
 * @throws ConfigError when there are more sources than fit
 */
export function secretsVariable(secrets: readonly SourceSecrets[]): string {
  const text = JSON.stringify(
    Object.fromEntries(
      secrets.map(({ source, credentials, token }) => [source, { credentials: credentials.name, token: token.name }]),
    ),
  );
  if (Buffer.byteLength(text) > ENVIRONMENT_SHARE) {
    const message = "too many for one deployment (their names do not fit into the 4 KB Lambda has for its environment)";
    throw new ConfigError([{ path: "sources", message }], { hint: "Deploy a second stack for some of the sources." });
  }
  return text;
}
