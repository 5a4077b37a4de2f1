import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
} from "@aws-sdk/client-cloudformation";
import { unlessMissing } from "./clients.ts";

export interface Resource {
  type: string;
  logicalId: string;
  physicalId: string;
}

export async function describeStack(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  const found = await unlessMissing(client.send(new DescribeStacksCommand({ StackName: name })));
  const stack = found?.Stacks?.[0];
  return stack?.StackStatus === "DELETE_COMPLETE" ? undefined : stack;
}

export function outputsOf(stack: Stack): Record<string, string> {
  return Object.fromEntries(
    (stack.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]),
  );
}

export async function resourcesOf(client: CloudFormationClient, name: string): Promise<Resource[]> {
  const found: Resource[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: name })) {
    for (const { ResourceType = "", LogicalResourceId = "", PhysicalResourceId = "" } of page.StackResourceSummaries ??
      []) {
      found.push({ type: ResourceType, logicalId: LogicalResourceId, physicalId: PhysicalResourceId });
    }
  }
  return found;
}

/** Asks for its deletion. False while it is at something that must end first. */
export async function beginDeletion(client: CloudFormationClient, name: string): Promise<boolean> {
  try {
    await client.send(new DeleteStackCommand({ StackName: name }));
    return true;
  } catch (error) {
    if (error instanceof Error && /IN_PROGRESS/.test(error.message)) return false;
    throw error;
  }
}
