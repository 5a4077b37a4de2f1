import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { type KeySchema, tableDefinition } from "../lib/state/table.ts";
import { acknowledge } from "./findings.ts";

export interface StateTableProps {
  /** Default: a key that AWS owns. */
  encryptionKey?: IKey | undefined;
  /** Default: it outlives its stack. */
  removalPolicy?: RemovalPolicy | undefined;
}

/**
 * A table for the books, like the one that the poller makes: for a stack of your own that keeps what must be kept. The table outlives its
 * stack, since without it a new deployment could not know what was already emitted. Deletion protection is left off: together with
 * retention it strands the table of a first deployment that was rolled back.
 *
 * @example new SurveyPoller(this, "Surveys", { sources, stateTable: createStateTable(storage, "Books") });
 */
export function createStateTable(scope: Construct, id: string, props: StateTableProps = {}): Table {
  const { encryptionKey, removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE } = props;
  const table = new Table(scope, id, {
    ...keys(tableDefinition),
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy,
    ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  });
  acknowledge(table, {
    DynamoDBInBackupPlan:
      "It can be restored to any second of the last 35 days; whether copies are kept longer is the account's to say.",
  });
  for (const index of tableDefinition.indexes) {
    table.addGlobalSecondaryIndex({ indexName: index.name, ...keys(index), projectionType: ProjectionType.ALL });
  }
  return table;
}

function keys({ partitionKey, sortKey }: KeySchema) {
  const types = { S: AttributeType.STRING, N: AttributeType.NUMBER };
  return {
    partitionKey: { name: partitionKey.name, type: types[partitionKey.type] },
    sortKey: { name: sortKey.name, type: types[sortKey.type] },
  };
}
