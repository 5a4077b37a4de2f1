import { GetObjectCommand } from "@aws-sdk/client-s3";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { left, outputOf, type SmokeCheck, type SmokeContext } from "../context.ts";
import { OUTPUTS } from "../names.ts";
import { type Recorded, summarize } from "../recorded.ts";
import { mustBe, type Need } from "../run/check.ts";
import { LARGE } from "../service/plan.ts";

/** Events of every size, whole or by claim check, to one kind of subscriber. */
function largeTo(lane: string, needs: Need[], read: (context: SmokeContext) => Promise<Recorded[]>): SmokeCheck {
  return {
    name: `large-to-${lane}`,
    needs,
    after: ["schedule"],
    deadline: 300_000,
    async run(context, { until }) {
      const shown: string[] = [];
      for (const { responseId, what, records, commentBytes, isClaimed } of LARGE) {
        const found = await until(`the event of ${what} at the ${lane}`, async () =>
          (await read(context)).find((one) => one.responseId === responseId && one.replay === undefined),
        );
        // An endpoint sees no answers of a claim check: it has no right to the bucket.
        const seen =
          lane === "endpoint" && isClaimed
            ? { answers: 0, bytes: 0 }
            : { answers: records, bytes: records * commentBytes };
        const todo = "compare the event with docs/events.md";
        mustBe(found.isClaimed === isClaimed, `${what} came ${found.isClaimed ? "by claim check" : "whole"}`, todo);
        mustBe(
          found.answers === seen.answers && found.commentBytes === seen.bytes,
          `${what} came with ${found.answers} answers, ${found.commentBytes} bytes of comments`,
          todo,
        );
        shown.push(`${what} ${isClaimed ? "by claim check" : `whole (${found.bytes} bytes)`}`);
      }
      return shown.join(", ");
    },
  };
}

export const largeToQueue = largeTo("queue", [], async (context) => {
  const queue = left(context.queue, "the queue");
  await queue.drain();
  const large = queue.events.filter(({ event }) =>
    LARGE.some(({ responseId }) => responseId === event.detail.data.responseId),
  );
  return await Promise.all(
    large.map(async ({ event, bytes }) => {
      const { answersRef } = event.detail.data;
      if (answersRef === null) return summarize(event, "queue", bytes, undefined);
      const { Body } = await context.aws.s3.send(
        new GetObjectCommand({ Bucket: answersRef.bucket, Key: answersRef.key }),
      );
      const fetched = JSON.parse((await Body?.transformToString()) ?? "null") as unknown[];
      return summarize(event, "queue", bytes, fetched);
    }),
  );
});

export const largeToFunction = largeTo("function", [], (context) => recordedBy(context, "function"));

export const largeToEndpoint = largeTo("endpoint", ["function URLs"], (context) => recordedBy(context, "endpoint"));

/** What a subscriber has written down. */
export async function recordedBy(context: SmokeContext, lane: string): Promise<Recorded[]> {
  const found: Recorded[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await context.aws.table.send(
      new QueryCommand({
        TableName: outputOf(context, "recordedTable", OUTPUTS),
        KeyConditionExpression: "pk = :lane",
        ExpressionAttributeValues: { ":lane": lane },
        ExclusiveStartKey: from,
        ConsistentRead: true,
      }),
    );
    found.push(...((page.Items ?? []) as Recorded[]));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return found;
}
