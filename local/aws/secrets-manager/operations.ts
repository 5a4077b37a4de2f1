import { randomBytes, randomUUID } from "node:crypto";
import type { z } from "zod";
import { AwsError, type Operation, operation } from "../aws-json.ts";
import { page } from "../paging.ts";
import { ACCOUNT, REGION } from "../services.ts";
import { createInput, deleteInput, describeInput, getInput, listInput, putInput, stageInput } from "./inputs.ts";
import type { Secret, SecretStore } from "./store.ts";
import { CURRENT, moveStage, putVersion, requestedValue, versionWith } from "./versions.ts";

const INVALID = "InvalidParameterException";
const DEFAULT_RECOVERY_DAYS = 30;

/** @param now epoch milliseconds */
export function secretsOperations(store: SecretStore, now: () => number): Record<string, Operation> {
  const seconds = () => now() / 1000;

  function find(id: string): Secret {
    const secret = store.find(id);
    if (secret === undefined) throw notFound("the specified secret.");
    return secret;
  }

  function usable(id: string): Secret {
    const secret = find(id);
    if (secret.deletedAt !== undefined) {
      throw new AwsError(
        "InvalidRequestException",
        "You can't perform this operation on the secret because it was marked for deletion.",
      );
    }
    return secret;
  }

  function create(input: z.infer<typeof createInput>): unknown {
    const content = requestedValue(input);
    const versionId = input.ClientRequestToken ?? randomUUID();
    const existing = store.find(input.Name);
    if (existing?.name === input.Name) return repeatCreate(existing, versionId, content);
    // Six random characters, so that a secret made again under the same name is told from the one before.
    const suffix = randomBytes(4).toString("base64url").replace(/[-_]/g, "x").slice(0, 6);
    const empty: Secret = {
      arn: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${input.Name}-${suffix}`,
      name: input.Name,
      tags: input.Tags ?? [],
      createdAt: seconds(),
      changedAt: seconds(),
      versions: {},
      ...(input.Description === undefined ? {} : { description: input.Description }),
    };
    store.save(content === undefined ? empty : putVersion(empty, versionId, content, [CURRENT], seconds()));
    return { ARN: empty.arn, Name: empty.name, ...(content === undefined ? {} : { VersionId: versionId }) };
  }

  function get(input: z.infer<typeof getInput>): unknown {
    const secret = usable(input.SecretId);
    const stage = input.VersionStage ?? (input.VersionId === undefined ? CURRENT : undefined);
    const id = input.VersionId ?? versionWith(secret, stage ?? CURRENT);
    const version = id === undefined ? undefined : secret.versions[id];
    if (id === undefined || version === undefined) {
      const what = input.VersionId === undefined ? `staging label: ${stage}` : `VersionId: ${input.VersionId}`;
      throw notFound(`the specified secret value for ${what}`);
    }
    if (stage !== undefined && !version.stages.includes(stage)) {
      throw new AwsError(
        "InvalidRequestException",
        "You provided a VersionStage that is not associated to the provided VersionId.",
      );
    }
    return {
      ARN: secret.arn,
      Name: secret.name,
      VersionId: id,
      VersionStages: version.stages,
      CreatedDate: version.createdAt,
      ...(version.string === undefined ? {} : { SecretString: version.string }),
      ...(version.binary === undefined ? {} : { SecretBinary: version.binary }),
    };
  }

  function put(input: z.infer<typeof putInput>): unknown {
    const secret = usable(input.SecretId);
    const content = requestedValue(input);
    if (content === undefined) {
      throw new AwsError("InvalidRequestException", "You must provide either SecretString or SecretBinary.");
    }
    const versionId = input.ClientRequestToken ?? randomUUID();
    const changed = putVersion(secret, versionId, content, input.VersionStages ?? [CURRENT], seconds());
    if (changed !== secret) store.save(changed);
    return {
      ARN: secret.arn,
      Name: secret.name,
      VersionId: versionId,
      VersionStages: changed.versions[versionId]?.stages ?? [],
    };
  }

  function updateStage(input: z.infer<typeof stageInput>): unknown {
    const secret = usable(input.SecretId);
    const { VersionStage: stage, MoveToVersionId: to, RemoveFromVersionId: from } = input;
    for (const id of [to, from]) {
      if (id !== undefined && secret.versions[id] === undefined) {
        throw notFound(`the specified secret version: ${id}.`);
      }
    }
    const holder = versionWith(secret, stage);
    if (to === undefined && (stage === CURRENT || from === undefined)) {
      throw new AwsError(INVALID, `You can't remove the staging label ${stage} without a version to move it to.`);
    }
    if (holder !== undefined && holder !== to && from !== holder) {
      throw new AwsError(
        INVALID,
        `The parameter RemoveFromVersionId must name the version that holds the staging label ${stage}, which is ${holder}.`,
      );
    }
    store.save({ ...moveStage(secret, stage, to), changedAt: seconds() });
    return { ARN: secret.arn, Name: secret.name };
  }

  function remove(input: z.infer<typeof deleteInput>): unknown {
    const force = input.ForceDeleteWithoutRecovery === true;
    if (force && input.RecoveryWindowInDays !== undefined) {
      throw new AwsError(INVALID, "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
    }
    const secret = force ? find(input.SecretId) : usable(input.SecretId);
    const days = force ? 0 : (input.RecoveryWindowInDays ?? DEFAULT_RECOVERY_DAYS);
    const deletedAt = seconds() + days * 86_400;
    if (force) store.remove(secret);
    else store.save({ ...secret, deletedAt });
    return { ARN: secret.arn, Name: secret.name, DeletionDate: deletedAt };
  }

  function list(input: z.infer<typeof listInput>): unknown {
    const prefixes = input.Filters?.flatMap(({ Values }) => Values);
    const shown = store
      .all()
      .filter(({ deletedAt }) => deletedAt === undefined || input.IncludePlannedDeletion === true)
      .filter(({ name }) => prefixes === undefined || prefixes.some((prefix) => name.startsWith(prefix)))
      .sort((one, other) => one.createdAt - other.createdAt);
    const { items, ...next } = page(shown, input.MaxResults, input.NextToken);
    return { SecretList: items.map((secret) => describe(secret, "SecretVersionsToStages")), ...next };
  }

  return {
    CreateSecret: operation(createInput, create, INVALID),
    DeleteSecret: operation(deleteInput, remove, INVALID),
    DescribeSecret: operation(describeInput, ({ SecretId }) => describe(find(SecretId), "VersionIdsToStages"), INVALID),
    GetSecretValue: operation(getInput, get, INVALID),
    ListSecrets: operation(listInput, list, INVALID),
    PutSecretValue: operation(putInput, put, INVALID),
    UpdateSecretVersionStage: operation(stageInput, updateStage, INVALID),
  };
}

function repeatCreate(
  existing: Secret,
  versionId: string,
  content: ReturnType<typeof requestedValue>,
): { ARN: string; Name: string; VersionId: string } {
  if (existing.deletedAt !== undefined) {
    throw new AwsError(
      "InvalidRequestException",
      "You can't create this secret because a secret with this name is already scheduled for deletion.",
    );
  }
  const version = existing.versions[versionId];
  if (version !== undefined && version.string === content?.string && version.binary === content?.binary) {
    return { ARN: existing.arn, Name: existing.name, VersionId: versionId };
  }
  throw new AwsError(
    "ResourceExistsException",
    `The operation failed because the secret ${existing.name} already exists.`,
  );
}

function describe(secret: Secret, stagesField: "VersionIdsToStages" | "SecretVersionsToStages"): unknown {
  const labelled = Object.entries(secret.versions).filter(([, { stages }]) => stages.length > 0);
  return {
    ARN: secret.arn,
    Name: secret.name,
    Tags: secret.tags,
    CreatedDate: secret.createdAt,
    LastChangedDate: secret.changedAt,
    ...(secret.description === undefined ? {} : { Description: secret.description }),
    ...(secret.deletedAt === undefined ? {} : { DeletedDate: secret.deletedAt }),
    ...(labelled.length === 0
      ? {}
      : { [stagesField]: Object.fromEntries(labelled.map(([id, { stages }]) => [id, stages])) }),
  };
}

function notFound(what: string): AwsError {
  return new AwsError("ResourceNotFoundException", `Secrets Manager can't find ${what}`);
}
