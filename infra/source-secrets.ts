import { RemovalPolicy, Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnSecret, type ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { ConfigError, type SourceConfig } from "../lib/config/index.ts";
import { secretNames } from "../lib/config/secret-names.ts";
import { arnIn } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";

/** Lambda allows 4 KB for all environment variables together; this leaves room for the others. */
const ENVIRONMENT_SHARE = 3 * 1024;

/** Any six characters, which AWS adds to a name. */
const ANY_VERSION = "-??????";

/** A secret as permissions see it. */
export interface SecretReference {
  name: string;
  /** For policies: of one that is known by its name alone, any six characters stand for those that AWS has added. */
  arn: string;
  /** Of one that the poller has made: the same for all sources, where there are too many for a policy. */
  family?: string;
  /** Undefined with a key that AWS owns, or one that is not known. */
  encryptionKey?: IKey | undefined;
}

export interface SourceSecrets {
  source: string;
  credentials: SecretReference;
  token: SecretReference;
}

/** What the poller makes for each source, and why it is not rotated. */
const OWN_SECRETS = {
  credentials: {
    id: "Credentials",
    holds: '{"clientId":"...","clientSecret":"..."}, put here by the operator',
    unrotated:
      "The operator of the survey service issues the credentials on request; they cannot be renewed by a program.",
  },
  token: {
    id: "Token",
    holds: "the access token, kept by the poller",
    unrotated: "The poller renews the token whenever the service refuses it.",
  },
} as const;

/**
 * The two secrets of a source, without a value. A value in the template would overwrite, on its next change, what the operator or the
 * poller has put there. A generated one would look like a credential.
 *
 * @param existing credentials that are there already
 */
export function createSourceSecrets(
  scope: Construct,
  { name: source, credentialsSecret }: Pick<SourceConfig, "name" | "credentialsSecret">,
  encryptionKey: IKey | undefined,
  existing: ISecret | string | undefined = credentialsSecret,
): SourceSecrets {
  const token = createSecret(scope, source, "token", encryptionKey);
  const credentials =
    existing === undefined ? createSecret(scope, source, "credentials", encryptionKey) : reference(scope, existing);
  return { source, credentials, token };
}

function secretsPrefix(scope: Construct): string {
  return Stack.of(scope).stackName;
}

function createSecret(
  scope: Construct,
  source: string,
  kind: keyof typeof OWN_SECRETS,
  encryptionKey: IKey | undefined,
): SecretReference {
  const { id, holds, unrotated } = OWN_SECRETS[kind];
  const nameFor = (one: string): string => secretNames({ name: one }, { prefix: secretsPrefix(scope) })[kind];
  const name = nameFor(source);
  const all = Stack.of(scope).node.findAll();
  if (all.some((one) => one instanceof CfnSecret && one.name === name)) {
    const message = `another SurveyPoller of this stack has a secret ${name}: give this source another name`;
    throw new ConfigError([{ path: "sources", message }]);
  }
  const secret = new CfnSecret(scope, `${id}-${source}`, {
    name,
    description: `Survey service, source ${source}: ${holds}`,
    kmsKeyId: encryptionKey?.keyArn,
  });
  // Credentials are not to lie about when nobody uses them, and a kept secret would stand in the way of the next deployment's.
  secret.applyRemovalPolicy(RemovalPolicy.DESTROY);
  acknowledgeFinding(secret, { id: "AwsSolutions-SMG4", reason: unrotated });
  return { name, arn: secret.ref, family: arnOf(scope, nameFor("*")), encryptionKey };
}

/** Of a secret that is known by its name alone, or of all whose names are of this pattern. */
function arnOf(scope: Construct, name: string): string {
  return arnIn(scope, "secretsmanager", `secret:${name}${ANY_VERSION}`);
}

export function reference(scope: Construct, existing: ISecret | string): SecretReference {
  if (typeof existing === "string") return { name: existing, arn: arnOf(scope, existing) };
  const arn = existing.secretFullArn ?? `${existing.secretArn}${ANY_VERSION}`;
  return { name: existing.secretName, arn, encryptionKey: existing.encryptionKey };
}

/**
 * The function's variables about secrets. It makes the names of them all from the configuration that it has; only of those that the
 * construct was given it must be told.
 *
 * @throws ConfigError when more were given than fit
 */
export function secretsVariables(
  scope: Construct,
  given: Readonly<Record<string, ISecret | string>> = {},
): Record<string, string> {
  const prefix = { SECRETS_PREFIX: secretsPrefix(scope) };
  const names = Object.entries(given).map(([source, secret]) => [source, reference(scope, secret).name]);
  if (names.length === 0) return prefix;
  const text = JSON.stringify(Object.fromEntries(names));
  if (Buffer.byteLength(text) > ENVIRONMENT_SHARE) {
    const message = "too many: their names do not fit into the 4 KB that Lambda has for the function's environment";
    throw new ConfigError([{ path: "secrets", message }], {
      hint: "Name them in the configuration instead, by the credentialsSecret of each source.",
    });
  }
  return { ...prefix, CREDENTIALS_SECRETS: text };
}
