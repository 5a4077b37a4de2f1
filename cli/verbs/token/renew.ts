import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { CommandError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { DRY_RUN } from "../../verb.ts";
import { ago } from "../../words.ts";
import type { RenewAnswer } from "./answer.ts";

/**
 * Has the function ask for another token in the place of the one that is kept.
 *
 * @throws CommandError where the service gives none, or it could not be kept
 */
export async function renewToken(
  target: Target,
  { source: name, yes }: { source: string | undefined; yes: boolean },
  io: Io,
): Promise<RenewAnswer> {
  const { name: source } = await oneSource(target, name);
  const secretId = target.resources.secrets[source]?.token ?? "";
  const about = { source, secretId, keptSince: await keptSince(target, secretId) };
  if (!yes) {
    io.say(DRY_RUN);
    return { dryRun: true, ...about, expiresAt: null, shape: null };
  }
  const { expiresAt, shape, isKept } = await target.operate(source, "renew-token", {});
  if (!isKept) {
    const hint = "It works for this one process alone. Look at the function's permission to write the secret.";
    throw new CommandError("TOKEN_NOT_KEPT", `the new token could not be put into ${secretId}`, { hint });
  }
  return { dryRun: false, ...about, expiresAt, shape };
}

/** Nothing depends on it. */
async function keptSince({ clients }: Target, secretId: string): Promise<number | null> {
  try {
    const answer = await clients.secrets.send(new DescribeSecretCommand({ SecretId: secretId }));
    const isFilled = Object.keys(answer.VersionIdsToStages ?? {}).length > 0;
    return isFilled ? (answer.LastChangedDate?.getTime() ?? null) : null;
  } catch {
    return null;
  }
}

/** The outcome in words for people. */
export function renewText(
  { dryRun, source, secretId, keptSince, expiresAt, shape }: RenewAnswer,
  now: number,
): string[] {
  const old = keptSince === null ? "none that is known" : `one of ${ago(keptSince, now)}`;
  if (dryRun) {
    return [
      `The function would ask the service of ${source} for a token, and put it into ${secretId} in the place of ${old}.`,
      "A service that gives one token at a time ends the old one with that.",
    ];
  }
  const until = expiresAt === null ? "" : ` It holds until ${new Date(expiresAt).toISOString()}.`;
  return [
    `A new token of ${source} is in ${secretId}, in the place of ${old}.${until}`,
    ...(shape === null ? [] : [`It came as ${shape}.`]),
  ];
}
