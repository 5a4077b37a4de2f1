import {
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import type { Inventory, StackFound } from "./found.ts";
import { findArchives, findBuckets, findBuses, findRules, findSecrets, findTables } from "./kept.ts";
import { type Services, unlessMissing } from "./services.ts";

/** Looks for everything of a deployment, whether its stack is there or was deleted before. */
export async function takeInventory(services: Services, stackName: string): Promise<Inventory> {
  const stack = await findStack(services, stackName);
  const ofStack = (type: string): string[] =>
    (stack?.resources ?? []).flatMap(({ ResourceType, PhysicalResourceId }) =>
      ResourceType === type && PhysicalResourceId !== undefined ? [PhysicalResourceId] : [],
    );
  const buses = await findBuses(services, stackName, ofStack("AWS::Events::EventBus"));
  const archives = await findArchives(services, stackName, { buses, known: ofStack("AWS::Events::Archive") });
  return {
    stack,
    buses: buses.map(({ name }) => name),
    // Of a rule on a bus CloudFormation has the names of both.
    rules: await findRules(
      services,
      buses.map(({ name }) => name),
      new Set(ofStack("AWS::Events::Rule").map((id) => id.split("|").at(-1) ?? id)),
    ),
    archives,
    tables: await findTables(services, stackName, ofStack("AWS::DynamoDB::Table")),
    buckets: await findBuckets(services, stackName, ofStack("AWS::S3::Bucket")),
    secrets: await findSecrets(services, stackName),
  };
}

async function findStack({ stacks }: Services, name: string): Promise<StackFound | undefined> {
  const found = (await unlessMissing(stacks.send(new DescribeStacksCommand({ StackName: name }))))?.Stacks?.[0];
  if (found?.StackId === undefined) return undefined;
  const resources: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client: stacks }, { StackName: name })) {
    resources.push(...(page.StackResourceSummaries ?? []));
  }
  return { name, id: found.StackId, isProtected: found.EnableTerminationProtection === true, resources };
}
