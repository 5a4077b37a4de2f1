import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { InterruptedError } from "../../../errors.ts";
import { UsageError } from "../../../flags.ts";
import { eventIdIn } from "../../../ids/event-ids.ts";
import { askingAws } from "../../../target/aws-failure.ts";
import type { Target } from "../../../target/target.ts";
import { nothingRead } from "../text.ts";
import type { ListReader, TakenList } from "./list.ts";

/** Parts of the table that are scanned side by side. */
const SEGMENTS = 4;

/** `TABLE` or `TABLE:attribute`; a table may be named by its ARN. */
export function tableAndAttribute(text: string): { table: string; attribute: string | undefined } {
  const [, table, attribute] = /^(arn:[^/]+\/[\w.-]+|[\w.-]+)(?::(.+))?$/.exec(text) ?? [];
  if (table !== undefined) return { table, attribute };
  throw new UsageError("--dynamodb is no table", {
    hint: "Give it as --dynamodb TABLE or --dynamodb TABLE:attribute.",
  });
}

/** The ids in one attribute of a consumer's table, in whatever text they stand. Without an attribute that is the partition key. */
export async function readTableList({ clients }: Target, text: string, reader: ListReader): Promise<TakenList> {
  const { ids, signal, now, tell } = reader;
  const { dynamodb } = clients;
  const { table, attribute = await askingAws("the consumer's table could not be looked at", partitionKey) } =
    tableAndAttribute(text);
  const asOf = now();
  const figures = { items: 0, found: 0 };

  async function partitionKey(): Promise<string> {
    const answer = await dynamodb.send(new DescribeTableCommand({ TableName: tableAndAttribute(text).table }));
    return answer.Table?.KeySchema?.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "id";
  }

  async function scan(Segment: number): Promise<void> {
    let from: Record<string, unknown> | undefined;
    do {
      if (signal.aborted) throw new InterruptedError();
      const answer = await dynamodb.send(
        new ScanCommand({
          TableName: table,
          Segment,
          TotalSegments: SEGMENTS,
          ConsistentRead: true,
          ProjectionExpression: "#id",
          ExpressionAttributeNames: { "#id": attribute },
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      );
      for (const item of answer.Items ?? []) {
        const value = item[attribute] as unknown;
        const id = typeof value === "string" ? eventIdIn(value) : undefined;
        if (id !== undefined) ids.add(id);
        figures.found += id === undefined ? 0 : 1;
      }
      figures.items += answer.Items?.length ?? 0;
      tell(`${figures.items.toLocaleString("en-US")} items read`);
      from = answer.LastEvaluatedKey;
    } while (from !== undefined);
  }

  await askingAws("the consumer's table could not be read", () =>
    Promise.all(Array.from({ length: SEGMENTS }, (_, i) => scan(i))),
  );
  const from = `attribute ${attribute} of table ${table}`;
  if (figures.items > 0 && figures.found === 0) {
    throw nothingRead(from, "Name the attribute that holds detail.meta.eventId: --dynamodb TABLE:attribute.");
  }
  return { from, asOf, unreadable: figures.items - figures.found };
}
