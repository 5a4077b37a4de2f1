import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { type KeySchema, tableDefinition } from "../lib/state/table.ts";

/**
 * The books. The table outlives the stack, since without it a new deployment could not know what was already emitted. Deletion
 * protection is left off: together with retention it strands the table of a first deployment that was rolled back.
 */
export function createTable(scope: Construct): Table {
  const table = new Table(scope, "Table", {
    ...keys(tableDefinition),
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
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
