import { AwsError } from "../aws-json.ts";
import type { Secret, Version } from "./store.ts";

/** The value that a request wants stored: one of the two. */
export interface SecretValue {
  SecretString?: string | undefined;
  SecretBinary?: string | undefined;
}

const MAX_VALUE_BYTES = 65_536;
const MAX_VERSIONS = 100;

export const CURRENT = "AWSCURRENT";
export const PREVIOUS = "AWSPREVIOUS";

/** @returns undefined when the request holds no value */
export function requestedValue(input: SecretValue): Pick<Version, "string" | "binary"> | undefined {
  const { SecretString: string, SecretBinary: binary } = input;
  if (string !== undefined && binary !== undefined) {
    throw new AwsError(
      "InvalidParameterException",
      "You can't specify both a binary secret value and a string secret value in the same secret.",
    );
  }
  if (string !== undefined) return { string: within(string, Buffer.byteLength(string)) };
  if (binary !== undefined) return { binary: within(binary, Buffer.from(binary, "base64").length) };
  return undefined;
}

function within(value: string, bytes: number): string {
  if (bytes > 0 && bytes <= MAX_VALUE_BYTES) return value;
  throw new AwsError(
    "InvalidParameterException",
    `A secret value must have 1 to ${MAX_VALUE_BYTES} bytes, not ${bytes}.`,
  );
}

/**
 * Adds a version and moves the labels to it.
 *
 * @throws {AwsError} `ResourceExistsException` when the id stands for another value already
 */
export function putVersion(
  secret: Secret,
  versionId: string,
  value: Pick<Version, "string" | "binary">,
  stages: readonly string[],
  now: number,
): Secret {
  const existing = secret.versions[versionId];
  if (existing !== undefined) {
    if (existing.string === value.string && existing.binary === value.binary) return secret;
    throw new AwsError(
      "ResourceExistsException",
      `You can't use ClientRequestToken ${versionId} because that value is already in use for a version of secret ${secret.arn}.`,
    );
  }
  // The first version is the current one whatever the request asks for.
  const wanted = Object.keys(secret.versions).length === 0 ? [...new Set([...stages, CURRENT])] : stages;
  let changed: Secret = {
    ...secret,
    changedAt: now,
    versions: { ...secret.versions, [versionId]: { ...value, createdAt: now, stages: [] } },
  };
  for (const stage of wanted) changed = moveStage(changed, stage, versionId);
  return prune(changed);
}

/** Takes a label from the version that has it to another; the version that was current becomes the previous one. */
export function moveStage(secret: Secret, stage: string, toVersionId: string | undefined): Secret {
  const from = versionWith(secret, stage);
  const versions = Object.fromEntries(
    Object.entries(secret.versions).map(([id, version]) => {
      const stages = version.stages.filter((one) => one !== stage);
      return [id, { ...version, stages: id === toVersionId ? [...stages, stage] : stages }];
    }),
  );
  const moved: Secret = { ...secret, versions };
  if (stage !== CURRENT || from === undefined || from === toVersionId) return moved;
  return moveStage(moved, PREVIOUS, from);
}

export function versionWith(secret: Secret, stage: string): string | undefined {
  return Object.entries(secret.versions).find(([, { stages }]) => stages.includes(stage))?.[0];
}

/** Versions without a label are kept for a while only: the oldest go when there are too many. */
function prune(secret: Secret): Secret {
  const versions = Object.entries(secret.versions);
  const surplus = versions.length - MAX_VERSIONS;
  if (surplus <= 0) return secret;
  const unlabelled = versions.filter(([, { stages }]) => stages.length === 0);
  const gone = new Set(unlabelled.slice(0, surplus).map(([id]) => id));
  return { ...secret, versions: Object.fromEntries(versions.filter(([id]) => !gone.has(id))) };
}
