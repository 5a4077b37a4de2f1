import { DescribeTableCommand, ListTagsOfResourceCommand, paginateListTables } from "@aws-sdk/client-dynamodb";
import {
  ListArchivesCommand,
  ListEventBusesCommand,
  ListRulesCommand,
  ListTagsForResourceCommand,
} from "@aws-sdk/client-eventbridge";
import { GetBucketTaggingCommand, ListBucketsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { paginateListSecrets } from "@aws-sdk/client-secrets-manager";
import type { ArchiveFound, Kept, RuleFound } from "./found.ts";
import { type Services, unlessMissing } from "./services.ts";

type Tags = readonly { Key?: string | undefined; Value?: string | undefined }[] | undefined;

interface BusFound {
  name: string;
  arn: string;
}

/** Every resource of a deployment has this tag, whatever became of its stack. */
function isOurs(stack: string, tags: Tags): boolean {
  return (tags ?? []).some(({ Key, Value }) => Key === "survey-poller" && Value === `${stack}/Poller`);
}

/** All pages of an operation that names the next one by a token. */
async function allPages<T>(
  ask: (token: string | undefined) => Promise<[T[] | undefined, string | undefined]>,
): Promise<T[]> {
  const found: T[] = [];
  let token: string | undefined;
  do {
    const [page = [], next] = await ask(token);
    found.push(...page);
    token = next;
  } while (token !== undefined);
  return found;
}

/** @param known those of the stack, which may be gone */
export async function findBuses({ events }: Services, stack: string, known: readonly string[]): Promise<BusFound[]> {
  const buses = await allPages(async (NextToken) => {
    const page = await events.send(new ListEventBusesCommand({ NextToken }));
    return [page.EventBuses, page.NextToken];
  });
  const found: BusFound[] = [];
  for (const { Name = "", Arn = "" } of buses) {
    if (Name === "default") continue;
    const isKnown = known.includes(Name);
    const tags = isKnown
      ? undefined
      : await unlessMissing(events.send(new ListTagsForResourceCommand({ ResourceARN: Arn })));
    if (isKnown || isOurs(stack, tags?.Tags)) found.push({ name: Name, arn: Arn });
  }
  return found;
}

/** @param own names of the stack's own, which go with it */
export async function findRules(
  { events }: Services,
  buses: readonly string[],
  own: ReadonlySet<string>,
): Promise<RuleFound[]> {
  const found: RuleFound[] = [];
  for (const bus of buses) {
    const rules = await allPages(async (NextToken) => {
      const page = await events.send(new ListRulesCommand({ EventBusName: bus, NextToken }));
      return [page.Rules, page.NextToken];
    });
    // A managed rule goes with what manages it, such as an archive.
    const foreign = rules.filter(({ Name = "", ManagedBy }) => ManagedBy === undefined && !own.has(Name));
    found.push(...foreign.map(({ Name = "" }) => ({ bus, name: Name })));
  }
  return found;
}

/** Characters that CloudFormation takes of a long stack's name: that of an archive has 48 at most. */
const STACK_PART = 17;

/** Archives have no tags: they are known by the stack, by the name that CloudFormation gave them, or by their bus. */
export async function findArchives(
  { events }: Services,
  stack: string,
  { buses, known }: { buses: readonly BusFound[]; known: readonly string[] },
): Promise<ArchiveFound[]> {
  const archives = await allPages(async (NextToken) => {
    const page = await events.send(new ListArchivesCommand({ NextToken }));
    return [page.Archives, page.NextToken];
  });
  const sources = new Set(buses.map(({ arn }) => arn));
  // Another stack's name may begin with the same characters: then the bus tells them apart.
  const isCut = stack.length >= STACK_PART;
  return archives.flatMap(({ ArchiveName: name = "", EventSourceArn = "", EventCount = 0 }) => {
    const isOnBus = sources.has(EventSourceArn);
    const isNamed = name.startsWith(`${stack.slice(0, STACK_PART)}-PollerArchive`) && (isOnBus || !isCut);
    const isOwn = known.includes(name) || isNamed;
    return isOwn || isOnBus ? [{ name, isOwn, holds: `${EventCount} events` }] : [];
  });
}

export async function findTables({ tables }: Services, stack: string, known: readonly string[]): Promise<Kept[]> {
  const found: Kept[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client: tables }, {})) {
    for (const name of TableNames.filter((one) => known.includes(one) || one.includes("PollerTable"))) {
      const table = (await unlessMissing(tables.send(new DescribeTableCommand({ TableName: name }))))?.Table;
      if (table === undefined) continue;
      const tags = await tables.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn }));
      if (!known.includes(name) && !isOurs(stack, tags.Tags)) continue;
      found.push({ name, holds: `about ${table.ItemCount ?? 0} items` });
    }
  }
  return found;
}

export async function findBuckets({ buckets }: Services, stack: string, known: readonly string[]): Promise<Kept[]> {
  // Of the account's buckets those in other regions do not answer from here, and may be of a stack of the same name.
  const BucketRegion = await buckets.config.region();
  const listed = await allPages(async (ContinuationToken) => {
    const page = await buckets.send(new ListBucketsCommand({ BucketRegion, ContinuationToken }));
    return [page.Buckets, page.ContinuationToken];
  });
  const found: Kept[] = [];
  for (const { Name: Bucket = "" } of listed) {
    if (!known.includes(Bucket)) {
      if (!Bucket.includes("pollerclaimcheck")) continue;
      const tags = await unlessMissing(buckets.send(new GetBucketTaggingCommand({ Bucket })));
      if (!isOurs(stack, tags?.TagSet)) continue;
    }
    const page = await unlessMissing(buckets.send(new ListObjectsV2Command({ Bucket })));
    if (page === undefined) continue;
    const count = page.Contents?.length ?? 0;
    found.push({ name: Bucket, holds: page.IsTruncated ? `more than ${count} objects` : `${count} objects` });
  }
  return found;
}

/** Secrets of the stack, also those that are only marked for deletion: their names could not be used again for weeks. */
export async function findSecrets({ secrets }: Services, stack: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of paginateListSecrets({ client: secrets }, { IncludePlannedDeletion: true })) {
    const ours = (page.SecretList ?? []).filter(({ Tags }) => isOurs(stack, Tags));
    found.push(...ours.flatMap(({ Name }) => Name ?? []));
  }
  return found;
}
