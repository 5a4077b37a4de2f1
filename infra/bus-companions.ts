import type { RemovalPolicy } from "aws-cdk-lib";
import type { CfnArchive, IEventBus } from "aws-cdk-lib/aws-events";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Config } from "../lib/config/index.ts";
import { createArchive } from "./archive.ts";
import { createBusLog } from "./bus-log.ts";
import { createBusParameter } from "./bus-parameter.ts";
import { createSchemaRegistry } from "./schema-registry.ts";
import { shareBus } from "./subscriptions/subscriber-policy.ts";

export interface BusCompanionsProps {
  bus: IEventBus;
  config: Config;
  /** Whether the poller made the bus: what is logged is a property of the bus itself. */
  isOwn: boolean;
  /** Of the bus, as text: names are made of it. */
  busName: string;
  logDays: number;
  encryptionKey?: IKey | undefined;
  /** Of the archive. */
  removalPolicy: RemovalPolicy;
}

/**
 * Everything that the configuration asks for beside the bus.
 *
 * @returns the archive, unless it is switched off
 */
export function createBusCompanions(scope: Construct, props: BusCompanionsProps): CfnArchive | undefined {
  const { bus, busName, encryptionKey, removalPolicy } = props;
  const { sources, bus: wanted, subscribers } = props.config;
  createBusParameter(scope, bus, { name: busName, arnParameter: wanted.arnParameter });
  shareBus(scope, bus, subscribers);
  if (wanted.schemaRegistry) createSchemaRegistry(scope, busName, sources);
  if (wanted.logging && props.isOwn) createBusLog(scope, props);
  return wanted.archive ? createArchive(scope, { bus, sources, encryptionKey, removalPolicy }) : undefined;
}
