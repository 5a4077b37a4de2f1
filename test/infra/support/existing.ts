import type { Stack } from "aws-cdk-lib";
import { SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { EventBus } from "aws-cdk-lib/aws-events";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { SurveyPollerResources } from "../../../infra/props.ts";
import { createStateTable } from "../../../infra/storage.ts";

/** A VPC that somebody else has made. */
export function importVpc(stack: Stack): Vpc {
  return Vpc.fromVpcAttributes(stack, "Vpc", {
    vpcId: "vpc-0123456789abcdef0",
    availabilityZones: ["eu-west-1a", "eu-west-1b"],
    privateSubnetIds: ["subnet-0123456789abcdefa", "subnet-0123456789abcdefb"],
    privateSubnetRouteTableIds: ["rtb-0123456789abcdefa", "rtb-0123456789abcdefb"],
    isolatedSubnetIds: ["subnet-0123456789abcdefc", "subnet-0123456789abcdefd"],
    isolatedSubnetRouteTableIds: ["rtb-0123456789abcdefc", "rtb-0123456789abcdefd"],
  }) as Vpc;
}

/** One of everything that a poller can be given. */
export function existing(stack: Stack): Required<Omit<SurveyPollerResources, "vpcSubnets" | "secrets" | "proxy">> {
  const encryptionKey = new Key(stack, "Key", { enableKeyRotation: true });
  return {
    eventBus: new EventBus(stack, "TeamBus", { eventBusName: "team" }),
    stateTable: createStateTable(stack, "Books", { encryptionKey }),
    alarmTopic: new Topic(stack, "Pager", { masterKey: encryptionKey, enforceSSL: true }),
    encryptionKey,
    vpc: importVpc(stack),
    securityGroups: [SecurityGroup.fromSecurityGroupId(stack, "Group", "sg-0123456789abcdef0")],
  };
}
