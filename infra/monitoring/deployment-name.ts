import { Names, Stack, Token } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Names a construct within its account and region, in a form that can be read and typed. Two of them may have sources of the same name. */
export function deploymentName(construct: Construct): string {
  const { stackName, node: stack } = Stack.of(construct);
  const within = construct.node.path.slice(stack.path.length).split("/").filter(Boolean);
  const readable = [stackName, ...within].join("-");
  if (!Token.isUnresolved(stackName) && /^[A-Za-z0-9_-]{1,128}$/.test(readable)) return readable;
  // Of a nested stack the name is not known yet.
  return Names.uniqueResourceName(construct, { maxLength: 128, separator: "-", allowedSpecialCharacters: "-_" });
}
