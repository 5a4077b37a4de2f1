import type { RemovalPolicy } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { BUS_LOG } from "./bus-log.ts";

export interface BusProps {
  name: string;
  /** Whether it logs what it could not deliver. */
  logging: boolean;
  encryptionKey?: IKey | undefined;
  /** For events that cannot be encrypted or decrypted, which an unencrypted bus has none of. */
  deadLetters: Queue;
  removalPolicy: RemovalPolicy;
}

/**
 * The bus that gets the events. By default it outlives its stack: EventBridge refuses to delete a bus that has rules, and every subscriber
 * makes one.
 */
export function createBus(scope: Construct, props: BusProps): EventBus {
  const { name, logging, encryptionKey, deadLetters, removalPolicy } = props;
  const isEncrypted = encryptionKey !== undefined;
  const bus = new EventBus(scope, "Bus", {
    eventBusName: name,
    description: "Completed survey responses",
    ...(logging ? { logConfig: BUS_LOG } : {}),
    ...(isEncrypted ? { kmsKey: encryptionKey, deadLetterQueue: deadLetters } : {}),
  });
  bus.applyRemovalPolicy(removalPolicy);
  if (isEncrypted) {
    deadLetters.addToResourcePolicy(
      new PolicyStatement({
        sid: "KeepUnreadableEvents",
        principals: [new ServicePrincipal("events.amazonaws.com")],
        actions: ["sqs:SendMessage"],
        resources: [deadLetters.queueArn],
        conditions: { ArnEquals: { "aws:SourceArn": bus.eventBusArn } },
      }),
    );
  }
  return bus;
}
