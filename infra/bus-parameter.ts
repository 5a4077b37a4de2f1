import type { IEventBus } from "aws-cdk-lib/aws-events";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import type { Construct } from "constructs";
import type { BusConfig } from "../lib/config/index.ts";

/** Tells other stacks where the bus is, without a reference that would tie their deployments to this one. */
export function createBusParameter(
  scope: Construct,
  bus: IEventBus,
  { name, arnParameter }: Pick<BusConfig, "name" | "arnParameter">,
): StringParameter {
  return new StringParameter(scope, "BusArn", {
    parameterName: arnParameter ?? `/survey-poller/${name}/bus-arn`,
    description: "The bus with completed survey responses",
    stringValue: bus.eventBusArn,
  });
}
