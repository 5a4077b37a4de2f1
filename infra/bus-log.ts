import { ArnFormat, Names, RemovalPolicy, Stack } from "aws-cdk-lib";
import { type IEventBus, IncludeDetail, Level, type LogConfig } from "aws-cdk-lib/aws-events";
import { PolicyDocument, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  type CfnLogGroup,
  LogGroup,
  type RetentionDays,
} from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { acknowledgeOwnKey } from "./acknowledge.ts";

/** Only what failed, and nothing of the events themselves: they are personal data. */
export const BUS_LOG: LogConfig = { level: Level.ERROR, includeDetail: IncludeDetail.NONE };

/** Longest name of a delivery's ends. */
const LONGEST_NAME = 60;

/** Under this prefix AWS's own policies let log delivery in, and the console looks for the log of a bus. */
export function busLogName(busName: string): string {
  return `/aws/vendedlogs/events/event-bus/${busName}`;
}

export interface BusLogProps {
  bus: IEventBus;
  busName: string;
  logDays: number;
  encryptionKey?: IKey | undefined;
}

/** Brings to a log group what a bus made with `BUS_LOG` reports: without it such a bus writes nowhere. */
export function createBusLog(scope: Construct, { bus, busName, logDays, encryptionKey }: BusLogProps): LogGroup {
  const logGroupName = busLogName(busName);
  const logGroup = new LogGroup(scope, "BusLog", {
    logGroupName,
    retention: logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });
  acknowledgeOwnKey(logGroup, "CloudWatchLogGroupEncrypted", encryptionKey);
  // On the group itself: of policies for the account there may be ten in a region, and others need them too.
  (logGroup.node.defaultChild as CfnLogGroup).resourcePolicyDocument = deliveryPolicy(scope, logGroupName);

  const source = new CfnDeliverySource(scope, "BusLogSource", {
    name: nameOf(scope, "errors"),
    logType: "ERROR_LOGS",
    resourceArn: bus.eventBusArn,
  });
  const destination = new CfnDeliveryDestination(scope, "BusLogDestination", {
    name: nameOf(scope, "log"),
    deliveryDestinationType: "CWL",
    destinationResourceArn: logGroup.logGroupArn,
    outputFormat: "json",
  });
  const delivery = new CfnDelivery(scope, "BusLogDelivery", {
    deliverySourceName: source.ref,
    deliveryDestinationArn: destination.attrArn,
  });
  delivery.node.addDependency(source);
  return logGroup;
}

function deliveryPolicy(scope: Construct, logGroupName: string): PolicyDocument {
  const { account } = Stack.of(scope);
  const logsArn = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({ service: "logs", resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        sid: "DeliverBusLog",
        principals: [new ServicePrincipal("delivery.logs.amazonaws.com")],
        actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
        // By its name: a reference from the group to itself would be a circle.
        resources: [`${logsArn("log-group", logGroupName)}:log-stream:*`],
        conditions: {
          StringEquals: { "aws:SourceAccount": account },
          ArnLike: { "aws:SourceArn": logsArn("delivery-source", "*") },
        },
      }),
    ],
  });
}

/** Names of delivery ends are shared by all of an account's region. */
function nameOf(scope: Construct, end: string): string {
  return `${Names.uniqueResourceName(scope, { maxLength: LONGEST_NAME - end.length - 1 })}-${end}`;
}
