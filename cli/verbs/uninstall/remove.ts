import { setTimeout as pause } from "node:timers/promises";
import {
  DeleteStackCommand,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from "@aws-sdk/client-cloudformation";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import {
  DeleteArchiveCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  ListTargetsByRuleCommand,
  RemoveTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import { DeleteBucketCommand, DeleteObjectsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { DeleteSecretCommand } from "@aws-sdk/client-secrets-manager";
import { InterruptedError } from "../../errors.ts";
import type { Inventory, RuleFound, StackFound } from "./found.ts";
import { type Services, unlessMissing } from "./services.ts";

/** Seconds: a function in a VPC keeps its network interfaces for up to 20 minutes. */
const LONGEST_DELETION = 1_800;
/** RemoveTargets takes so many at a time. */
const MOST_TARGETS = 10;
/** Attempts to delete a bus that seems to have rules still. */
const RULES_SEEN = 15;

/**
 * Removes everything, the stack first, so that nobody writes any more. Says each thing once it is gone, and ends after it where that is
 * asked for.
 */
export async function removeAll(
  services: Services,
  found: Inventory,
  { say, signal }: { say: (what: string) => void; signal: AbortSignal },
): Promise<void> {
  const { events, tables, secrets } = services;
  const remove = async (what: string, removal: Promise<unknown>): Promise<void> => {
    await unlessMissing(removal);
    say(what);
    if (signal.aborted) throw new InterruptedError();
  };
  if (found.stack !== undefined) await remove(`stack ${found.stack.name}`, removeStack(services, found.stack));
  for (const SecretId of found.secrets) {
    // Those of the stack are gone or only marked.
    const removal = secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
    await remove(`secret ${SecretId}`, removal);
  }
  for (const rule of found.rules) await remove(`rule ${rule.name}`, removeRule(services, rule));
  for (const { name } of found.archives) {
    await remove(`archive ${name}`, events.send(new DeleteArchiveCommand({ ArchiveName: name })));
  }
  // A bus that has rules is not deleted, and an archive is one.
  for (const name of found.buses) await remove(`bus ${name}`, removeBus(services, name));
  for (const { name } of found.buckets) await remove(`bucket ${name}`, removeBucket(services, name));
  for (const { name } of found.tables) {
    await remove(`table ${name}`, tables.send(new DeleteTableCommand({ TableName: name })));
  }
}

async function removeStack({ stacks }: Services, { id, isProtected }: StackFound): Promise<void> {
  if (isProtected) {
    const unprotect = { StackName: id, EnableTerminationProtection: false };
    await stacks.send(new UpdateTerminationProtectionCommand(unprotect));
  }
  await stacks.send(new DeleteStackCommand({ StackName: id }));
  await waitUntilStackDeleteComplete(
    { client: stacks, maxWaitTime: LONGEST_DELETION, minDelay: 2, maxDelay: 10 },
    { StackName: id },
  );
}

async function removeRule({ events }: Services, { bus, name }: RuleFound): Promise<void> {
  for (;;) {
    const { Targets = [] } = await events.send(new ListTargetsByRuleCommand({ EventBusName: bus, Rule: name }));
    const Ids = Targets.flatMap(({ Id }) => Id ?? []).slice(0, MOST_TARGETS);
    if (Ids.length === 0) break;
    const answer = await events.send(new RemoveTargetsCommand({ EventBusName: bus, Rule: name, Ids }));
    const [failed] = answer.FailedEntries ?? [];
    if (failed !== undefined) throw new Error(`a target of rule ${name} stays: ${failed.ErrorCode}`);
  }
  await events.send(new DeleteRuleCommand({ EventBusName: bus, Name: name }));
}

/** For some seconds EventBridge goes on to see the rules that a bus had. */
async function removeBus({ events }: Services, Name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await events.send(new DeleteEventBusCommand({ Name }));
      return;
    } catch (error) {
      const hasRules =
        error instanceof Error && error.name === "ValidationException" && /has rules/.test(error.message);
      if (!hasRules || attempt === RULES_SEEN) throw error;
      await pause(2_000);
    }
  }
}

/** A page at a time, as long as there is one. The bucket has no versions. */
async function removeBucket({ buckets }: Services, Bucket: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await buckets.send(new ListObjectsV2Command({ Bucket }));
    if (Contents.length === 0) break;
    const Objects = Contents.map(({ Key }) => ({ Key }));
    const { Errors = [] } = await buckets.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    if (Errors[0] !== undefined) throw new Error(`an object of ${Bucket} stays: ${Errors[0].Code}`);
  }
  await buckets.send(new DeleteBucketCommand({ Bucket }));
}
