import { type IVpc, Peer, Port, SecurityGroup, SubnetType } from "aws-cdk-lib/aws-ec2";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { may } from "./encryption.ts";
import type { SurveyPollerResources } from "./props.ts";

export type Network = NonNullable<ReturnType<typeof createNetwork>>;

/**
 * The part of a VPC that the functions run in, in the words of Lambda's construct; undefined without one.
 *
 * @param urls of everything they call beside AWS
 */
export function createNetwork(
  scope: Construct,
  { vpc, vpcSubnets, securityGroups }: Pick<SurveyPollerResources, "vpc" | "vpcSubnets" | "securityGroups">,
  urls: readonly string[],
) {
  if (vpc === undefined) return undefined;
  return {
    vpc,
    vpcSubnets: vpcSubnets ?? { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    securityGroups: securityGroups ?? [createSecurityGroup(scope, vpc, urls)],
  };
}

function createSecurityGroup(scope: Construct, vpc: IVpc, urls: readonly string[]): SecurityGroup {
  const group = new SecurityGroup(scope, "Egress", {
    vpc,
    description: "What the survey poller calls: AWS, the survey service and its proxy",
    allowAllOutbound: false,
  });
  // AWS itself is called by https.
  for (const port of [...new Set([443, ...urls.map(portOf)])].sort((a, b) => a - b)) {
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), `port ${port}`);
  }
  return group;
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

/**
 * The permissions that Lambda needs to put a function into a VPC, in the name of its role. None of these calls can be confined to a network
 * interface before that is made. So they are denied to the code of the function, which Lambda marks by the function's ARN.
 */
export function networkStatements(network: Network | undefined): PolicyStatement[] {
  if (network === undefined) return [];
  const actions = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
  ];
  return [
    may("JoinNetwork", actions, "*"),
    new PolicyStatement({
      sid: "LeaveNetworkToLambda",
      effect: Effect.DENY,
      actions,
      resources: ["*"],
      conditions: { Null: { "lambda:SourceFunctionArn": "false" } },
    }),
  ];
}

/** Why the actions above are allowed on everything. */
export const NETWORK_WILDCARD =
  "Lambda makes and removes network interfaces in the name of the role; EC2 takes no narrower resource for that, and the function's own code is denied it.";
