import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ACCOUNT, AwsError, type Operation, operation, REGION } from "./aws-json.ts";
import { replaceFile } from "./data-folder.ts";

const INVALID = "InvalidParameterException";
const CURRENT = "AWSCURRENT";
const MAX_VALUE_BYTES = 65_536;

/** The time is in epoch seconds, as in the API; `binary` is base64. */
const secret = z.object({
  arn: z.string(),
  name: z.string(),
  changedAt: z.number(),
  isDeleted: z.boolean().default(false),
  /** Absent until it is given one. */
  value: z.object({ id: z.string(), string: z.string().optional(), binary: z.string().optional() }).optional(),
});
type Secret = z.infer<typeof secret>;

const given = z.looseObject({
  SecretString: z.string().min(1).max(MAX_VALUE_BYTES).optional(),
  SecretBinary: z.string().min(1).optional(),
  ClientRequestToken: z.string().min(32).max(64).default(randomUUID),
});
type Given = z.infer<typeof given>;
const ofSecret = z.looseObject({ SecretId: z.string() });

/**
 * The operations of Secrets Manager that a poller and the command ask for: a secret has one value, the current one. Each secret is a file for its owner
 * alone, named by a hash so that any name will do.
 */
export function secretsOperations(folder: string): Record<string, Operation> {
  const secrets = new Map<string, Secret>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const read = secret.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    secrets.set(read.name, read);
  }

  function save(change: Omit<Secret, "changedAt">): { ARN: string; Name: string } {
    const changed = { ...change, changedAt: Date.now() / 1000 };
    const name = createHash("sha256").update(changed.name).digest("hex").slice(0, 32);
    replaceFile(join(folder, `${name}.json`), JSON.stringify(changed));
    secrets.set(changed.name, changed);
    return { ARN: changed.arn, Name: changed.name };
  }

  /** By name or by ARN. */
  function find(id: string): Secret {
    const found = secrets.get(id) ?? [...secrets.values()].find(({ arn }) => arn === id);
    if (found === undefined) throw notFound("the specified secret.");
    if (!found.isDeleted) return found;
    throw new AwsError("InvalidRequestException", "You can't use the secret: it was marked for deletion.");
  }

  const checked = <T>(schema: z.ZodType<T>, run: (input: T) => unknown): Operation => operation(schema, run, INVALID);

  return {
    CreateSecret: checked(given.extend({ Name: z.string().regex(/^[\w/+=.@-]{1,512}$/) }), ({ Name, ...value }) => {
      if (secrets.has(Name)) throw new AwsError("ResourceExistsException", `The secret ${Name} already exists.`);
      const suffix = randomBytes(3).toString("hex");
      const arn = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${Name}-${suffix}`;
      return save({ arn, name: Name, isDeleted: false, value: valueIn(value) });
    }),
    PutSecretValue: checked(given.extend({ SecretId: z.string() }), ({ SecretId, ...put }) => {
      const value = valueIn(put);
      if (value !== undefined) return { ...save({ ...find(SecretId), value }), VersionId: value.id };
      throw new AwsError("InvalidRequestException", "You must provide either SecretString or SecretBinary.");
    }),
    GetSecretValue: checked(ofSecret, ({ SecretId }) => {
      const { arn, name, value } = find(SecretId);
      if (value === undefined) throw notFound(`the specified secret value for staging label: ${CURRENT}`);
      const { id: VersionId, string: SecretString, binary: SecretBinary } = value;
      return { ARN: arn, Name: name, VersionId, VersionStages: [CURRENT], SecretString, SecretBinary };
    }),
    DescribeSecret: checked(ofSecret, ({ SecretId }) => {
      const { arn, name, changedAt, value } = find(SecretId);
      const VersionIdsToStages = value && { [value.id]: [CURRENT] };
      return { ARN: arn, Name: name, LastChangedDate: changedAt, VersionIdsToStages };
    }),
    DeleteSecret: checked(ofSecret, ({ SecretId }) => save({ ...find(SecretId), isDeleted: true })),
  };
}

function notFound(what: string): AwsError {
  return new AwsError("ResourceNotFoundException", `Secrets Manager can't find ${what}`);
}

/** Undefined where nothing is given. */
function valueIn({ SecretString, SecretBinary, ClientRequestToken }: Given): Secret["value"] {
  if (SecretString === undefined && SecretBinary === undefined) return undefined;
  return { id: ClientRequestToken, string: SecretString, binary: SecretBinary };
}
