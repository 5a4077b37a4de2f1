import type { RemovalPolicy } from "aws-cdk-lib";
import { CfnArchive, type IEventBus } from "aws-cdk-lib/aws-events";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { SourceConfig } from "../lib/config/index.ts";
import { DAY } from "../lib/config/units.ts";
import { EVENT_TYPES } from "../lib/events/index.ts";
import { eventPattern } from "./subscriptions/event-pattern.ts";

export interface ArchiveProps {
  bus: IEventBus;
  sources: readonly SourceConfig[];
  encryptionKey?: IKey | undefined;
  removalPolicy: RemovalPolicy;
}

/**
 * Keeps every event for a replay, by default also when its stack goes: the ledger says that these events went out, so nothing else would bring them
 * again. One archive serves all sources, so the longest period asked for holds.
 */
export function createArchive(
  scope: Construct,
  { bus, sources, encryptionKey, removalPolicy }: ArchiveProps,
): CfnArchive {
  const { source, detailType } = eventPattern(sources, { types: EVENT_TYPES });
  // The library's own construct would name the bus in the key's policy: with a bus that is encrypted by the same key, a circle.
  const archive = new CfnArchive(scope, "Archive", {
    sourceArn: bus.eventBusArn,
    description: "Completed survey responses, for a replay",
    eventPattern: { source, "detail-type": detailType },
    retentionDays: Math.max(...sources.map(({ retention }) => retention.archive)) / DAY,
    ...(encryptionKey === undefined ? {} : { kmsKeyIdentifier: encryptionKey.keyArn }),
  });
  archive.applyRemovalPolicy(removalPolicy);
  return archive;
}
