import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";

/** The types are string and number. */
export type KeySchema = Record<"partitionKey" | "sortKey", { name: string; type: "S" | "N" }>;

/** Keys of the one table, as data: the stack and the local runner both make the table from it. */
export const tableDefinition = {
  partitionKey: { name: "pk", type: "S" },
  sortKey: { name: "sk", type: "S" },
  indexes: [
    // Sparse: only an unsettled item, or one with a next check, has `due`, so a settled response costs nothing here.
    { name: "due", partitionKey: { name: "due", type: "S" }, sortKey: { name: "dueAt", type: "N" } },
  ],
} as const satisfies KeySchema & { indexes: readonly (KeySchema & { name: string })[] };

/** The same table as the request that creates it, for an endpoint without CloudFormation. */
export function createTableInput(tableName: string): CreateTableCommandInput {
  const schemas: readonly KeySchema[] = [tableDefinition, ...tableDefinition.indexes];
  return {
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: schemas
      .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
      .map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keySchema(tableDefinition),
    GlobalSecondaryIndexes: tableDefinition.indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: "ALL" },
    })),
  };
}

function keySchema({ partitionKey, sortKey }: KeySchema): CreateTableCommandInput["KeySchema"] {
  return [
    { AttributeName: partitionKey.name, KeyType: "HASH" },
    { AttributeName: sortKey.name, KeyType: "RANGE" },
  ];
}
