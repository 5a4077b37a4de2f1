import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AwsError, type Operation, operation } from "./aws-json.ts";
import { replaceFile } from "./data-folder.ts";
import { ACCOUNT, REGION } from "./services.ts";

const INVALID = "InvalidParameterException";
const CURRENT = "AWSCURRENT";
const MAX_VALUE_BYTES = 65_536;
const RECOVERY_SECONDS = 30 * 86_400;

/** Times are in epoch seconds, as in the API; `binary` is base64. */
const secret = z.object({
  arn: z.string(),
  name: z.string(),
  createdAt: z.number(),
  changedAt: z.number(),
  /** When it may be purged; absent unless it is marked for deletion. */
  deletedAt: z.number().optional(),
  /** By their id: the current one, and what an earlier release has kept beside it. */
  versions: z.record(
    z.string(),
    z.object({ stages: z.array(z.string()), string: z.string().optional(), binary: z.string().optional() }),
  ),
});
type Secret = z.infer<typeof secret>;

const given = z.looseObject({
  SecretString: z.string().min(1).optional(),
  SecretBinary: z.string().min(1).optional(),
  ClientRequestToken: z.string().min(32).max(64).default(randomUUID),
});
type Given = z.infer<typeof given>;
const ofSecret = z.looseObject({ SecretId: z.string() });

/**
 * What a poller asks of Secrets Manager: a secret has one value, the current one. Each secret is a file for its owner alone, named by a hash so
 * that any name will do.
 */
export function secretsOperations(folder: string): Record<string, Operation> {
  const secrets = new Map<string, Secret>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const read = secret.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    secrets.set(read.name, read);
  }

  function save(changed: Secret): { ARN: string; Name: string } {
    const name = createHash("sha256").update(changed.name).digest("hex").slice(0, 32);
    replaceFile(join(folder, `${name}.json`), JSON.stringify(changed));
    secrets.set(changed.name, changed);
    return { ARN: changed.arn, Name: changed.name };
  }

  /** By name or by ARN. */
  function find(id: string): Secret {
    const found = secrets.get(id) ?? [...secrets.values()].find(({ arn }) => arn === id);
    if (found === undefined) throw notFound("the specified secret.");
    return found;
  }

  function usable(id: string): Secret {
    const found = find(id);
    if (found.deletedAt === undefined) return found;
    throw new AwsError("InvalidRequestException", "You can't use the secret: it was marked for deletion.");
  }

  const checked = <T>(schema: z.ZodType<T>, run: (input: T) => unknown): Operation => operation(schema, run, INVALID);

  return {
    CreateSecret: checked(given.extend({ Name: z.string().regex(/^[\w/+=.@-]{1,512}$/) }), ({ Name, ...value }) => {
      if (secrets.has(Name)) throw new AwsError("ResourceExistsException", `The secret ${Name} already exists.`);
      const suffix = randomBytes(3).toString("hex");
      const arn = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${Name}-${suffix}`;
      return save({ arn, name: Name, createdAt: now(), changedAt: now(), versions: versionOf(value) });
    }),
    PutSecretValue: checked(given.extend({ SecretId: z.string() }), ({ SecretId, ...value }) => {
      const versions = versionOf(value);
      const [VersionId] = Object.keys(versions);
      if (VersionId === undefined) {
        throw new AwsError("InvalidRequestException", "You must provide either SecretString or SecretBinary.");
      }
      return { ...save({ ...usable(SecretId), changedAt: now(), versions }), VersionId, VersionStages: [CURRENT] };
    }),
    GetSecretValue: checked(ofSecret, ({ SecretId }) => {
      const { arn, name, versions } = usable(SecretId);
      const current = Object.entries(versions).find(([, { stages }]) => stages.includes(CURRENT));
      if (current === undefined) throw notFound(`the specified secret value for staging label: ${CURRENT}`);
      const [VersionId, { stages, string, binary }] = current;
      return { ARN: arn, Name: name, VersionId, VersionStages: stages, SecretString: string, SecretBinary: binary };
    }),
    DescribeSecret: checked(ofSecret, ({ SecretId }) => {
      const { arn, name, createdAt, changedAt, deletedAt, versions } = find(SecretId);
      const labelled = Object.entries(versions).map(([id, { stages }]) => [id, stages]);
      return {
        ARN: arn,
        Name: name,
        CreatedDate: createdAt,
        LastChangedDate: changedAt,
        DeletedDate: deletedAt,
        ...(labelled.length === 0 ? {} : { VersionIdsToStages: Object.fromEntries(labelled) }),
      };
    }),
    DeleteSecret: checked(ofSecret, ({ SecretId }) => {
      const deletedAt = now() + RECOVERY_SECONDS;
      return { ...save({ ...usable(SecretId), deletedAt }), DeletionDate: deletedAt };
    }),
  };
}

const now = (): number => Date.now() / 1000;

function notFound(what: string): AwsError {
  return new AwsError("ResourceNotFoundException", `Secrets Manager can't find ${what}`);
}

/** No version where nothing is given. */
function versionOf({ SecretString, SecretBinary, ClientRequestToken }: Given): Secret["versions"] {
  if (SecretString === undefined && SecretBinary === undefined) return {};
  const size =
    SecretString === undefined ? Buffer.from(SecretBinary ?? "", "base64").length : Buffer.byteLength(SecretString);
  if (size > MAX_VALUE_BYTES) throw new AwsError(INVALID, `A secret value may have ${MAX_VALUE_BYTES} bytes.`);
  return { [ClientRequestToken]: { stages: [CURRENT], string: SecretString, binary: SecretBinary } };
}
