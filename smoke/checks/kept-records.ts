import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { left, outputOf, type SmokeCheck } from "../context.ts";
import { OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";
import { SURVEYS } from "../service/plan.ts";

/** A large response whose metrics come late is kept in the bucket, found again when it is due, goes out whole, and is taken away. */
export const keptRecords: SmokeCheck = {
  name: "kept-records",
  needs: [],
  after: ["schedule"],
  deadline: 900_000,
  async run(context, { until }) {
    const queue = left(context.queue, "the queue");
    const Bucket = outputOf(context, "bucket", OUTPUTS);
    const list = async (Prefix: string): Promise<string[]> => {
      const { Contents = [] } = await context.aws.s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
      return Contents.flatMap(({ Key }) => Key ?? []);
    };
    const key = await until(
      "records that are kept in the bucket",
      async () => (await list(`kept/main/${SURVEYS.late}/`))[0],
    );
    const responseId = Number(key.split("/")[3]);
    const event = await until(`the event of response ${responseId}, whose metrics come late`, async () => {
      await queue.drain();
      return queue.events.find((one) => one.event.detail.data.responseId === responseId)?.event;
    });
    const { missing } = event.detail.meta;
    mustBe(
      missing.length === 0,
      `response ${responseId} went out without ${missing}`,
      "see docs/runbook.md, waiting responses",
    );
    await until(`the end of ${key}`, async () => ((await list(key)).length === 0 ? true : undefined));
    return `response ${responseId} was kept in the bucket, went out with its metrics, and is not kept any more`;
  },
};
