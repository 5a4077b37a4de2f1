import { setTimeout as pause } from "node:timers/promises";
import { DeleteTableCommand, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import {
  DeleteArchiveCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  ListArchivesCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  RemoveTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListBucketsCommand,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { DeleteSecretCommand, ListSecretsCommand } from "@aws-sdk/client-secrets-manager";
import { type Clients, unlessMissing } from "./aws/clients.ts";
import { beginDeletion, describeStack } from "./aws/stacks.ts";
import { NAMES } from "./names.ts";

/** Milliseconds for one stack. */
const LONGEST_DELETION = 900_000;

export interface CleanUpOptions {
  aws: Clients;
  /** Of the second account, if there is one. */
  other?: Clients | undefined;
  /** Milliseconds between two looks. */
  every: number;
}

/**
 * Removes everything that has the smoke's names, whichever run has made it: its stacks, and what they keep. Gives what could not be removed and
 * why, a line each. Goes on after a failure: what comes later may still be removed.
 */
export async function cleanUp({ aws, other, every }: CleanUpOptions): Promise<string[]> {
  const problems: string[] = [];
  const step = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  if (other !== undefined) {
    await step(NAMES.otherAccountStack, () => removeStack(other, NAMES.otherAccountStack, every));
  }
  for (const name of [NAMES.foreignStack, NAMES.pollerStack, NAMES.serviceStack]) {
    await step(`stack ${name}`, () => removeStack(aws, name, every));
  }
  await step(`bus ${NAMES.bus}`, () => removeBus(aws, NAMES.bus));
  await step("the kept table", () => removeTables(aws));
  await step("the kept bucket", () => removeBuckets(aws));
  await step("secrets", () => removeSecrets(aws));
  return problems;
}

export async function removeStack({ cloudFormation }: Clients, name: string, every: number): Promise<void> {
  const end = Date.now() + LONGEST_DELETION;
  let isAsked = false;
  for (; ; await pause(every)) {
    const stack = await describeStack(cloudFormation, name);
    if (stack === undefined) return;
    if (stack.StackStatus === "DELETE_FAILED" && isAsked) throw new Error(stack.StackStatusReason ?? "DELETE_FAILED");
    if (!isAsked) isAsked = await beginDeletion(cloudFormation, name);
    if (Date.now() > end) throw new Error(`it is still ${stack.StackStatus} after ${LONGEST_DELETION / 1000} s`);
  }
}

/** A bus with all that stands on it: EventBridge deletes none that has rules. */
export async function removeBus({ events }: Pick<Clients, "events">, name: string): Promise<void> {
  const rules = await unlessMissing(events.send(new ListRulesCommand({ EventBusName: name })));
  for (const { Name: Rule } of rules?.Rules ?? []) {
    const on = { EventBusName: name, Rule };
    const { Targets = [] } = await events.send(new ListTargetsByRuleCommand(on));
    const Ids = Targets.flatMap(({ Id }) => Id ?? []);
    if (Ids.length > 0) await events.send(new RemoveTargetsCommand({ ...on, Ids }));
    await events.send(new DeleteRuleCommand({ EventBusName: name, Name: Rule }));
  }
  const { Archives = [] } = await events.send(new ListArchivesCommand({}));
  for (const { ArchiveName, EventSourceArn } of Archives) {
    if (EventSourceArn?.endsWith(`/${name}`)) await events.send(new DeleteArchiveCommand({ ArchiveName }));
  }
  await unlessMissing(events.send(new DeleteEventBusCommand({ Name: name })));
}

async function removeTables({ dynamodb }: Clients): Promise<void> {
  let from: string | undefined;
  do {
    const page = await dynamodb.send(new ListTablesCommand({ ExclusiveStartTableName: from }));
    for (const TableName of page.TableNames ?? []) {
      if (isKept(TableName)) await unlessMissing(dynamodb.send(new DeleteTableCommand({ TableName })));
    }
    from = page.LastEvaluatedTableName;
  } while (from !== undefined);
}

async function removeBuckets({ s3 }: Clients): Promise<void> {
  // Those in other regions do not answer from here.
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({ BucketRegion: await s3.config.region() }));
  for (const { Name: Bucket = "" } of Buckets) {
    if (!isKept(Bucket)) continue;
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
      const Objects = Contents.map(({ Key }) => ({ Key }));
      if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    }
    await s3.send(new DeleteBucketCommand({ Bucket }));
  }
}

/** CloudFormation names what it keeps by the stack, a hyphen, and the logical name, which begins with the construct's. */
function isKept(name: string): boolean {
  return name.toLowerCase().startsWith(`${NAMES.pollerStack}-poller`.toLowerCase());
}

/** Else a stack of the same name could not be made for weeks: a secret that is deleted keeps its name until its recovery window is over. */
export async function removeSecrets(
  { secrets }: Pick<Clients, "secrets">,
  isWanted: (name: string) => boolean = () => true,
): Promise<void> {
  const prefix = `${NAMES.pollerStack}/`;
  const asked = { IncludePlannedDeletion: true, Filters: [{ Key: "name" as const, Values: [prefix] }] };
  const { SecretList = [] } = await secrets.send(new ListSecretsCommand(asked));
  for (const { Name: SecretId = "" } of SecretList) {
    if (!SecretId.startsWith(prefix) || !isWanted(SecretId)) continue;
    await unlessMissing(secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true })));
  }
}
