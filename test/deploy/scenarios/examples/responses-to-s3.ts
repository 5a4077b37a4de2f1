import assert from "node:assert/strict";
import { AthenaClient, GetNamedQueryCommand } from "@aws-sdk/client-athena";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { Row } from "../../../../examples/responses-to-s3/row.ts";
import { VIEW, viewOf } from "../../../examples/support/responses-view.ts";
import { output } from "../stage.ts";
import { deployExample, type ExampleStage, exampleOutput, untilAfterTicks } from "./stage.ts";

const NAME = "responses-to-s3";
/** More than the poller leaves in an event. */
const LARGE = 300_000;

export async function responsesToS3(on: ExampleStage): Promise<void> {
  const { report, stage, deployment, surveyId } = on;
  const { simulator, emulator } = stage;
  const claimCheck = output(deployment, "ClaimCheckBucketName");
  const example = await report.step(`${NAME}: deployed by its README`, () =>
    deployExample(on, NAME, { replace: [["<ClaimCheckBucketName>", claimCheck]] }),
  );
  const bucket = exampleOutput(example, "BucketName");
  const options = {
    endpoint: emulator.url,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  };
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  await report.step(`${NAME}: the view's query is saved in the workgroup`, async () => {
    const athena = new AthenaClient(options);
    const asked = new GetNamedQueryCommand({ NamedQueryId: exampleOutput(example, "ViewQueryId") });
    const { NamedQuery } = await athena.send(asked);
    athena.destroy();
    assert.deepEqual(
      [NamedQuery?.QueryString, NamedQuery?.Database, NamedQuery?.WorkGroup],
      [VIEW, "surveys", "survey-responses"],
    );
  });
  const rows = async (): Promise<Row[]> => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: "events/day=" }));
    return Promise.all(
      Contents.map(async ({ Key }) => {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
        return JSON.parse((await Body?.transformToString()) ?? "") as Row;
      }),
    );
  };
  /** Responses of this survey that the view shows, with how many answers each has. */
  const shown = async (): Promise<[number, number][]> => {
    const view = viewOf((await rows()).filter((row) => row.survey_id === surveyId));
    return view.map(({ response_id, answers }) => [response_id, answers?.length ?? 0]);
  };
  const truth = (): [number, number][] =>
    simulator.truth(surveyId).map(({ responseId, records }) => [responseId, records.length]);
  const isRight = async (): Promise<boolean> => JSON.stringify(await shown()) === JSON.stringify(truth());

  const [first = 0, second = 0] = simulator.complete(surveyId, 6);
  await report.step(`${NAME}: each response is a row of the view, a large one with its answers`, async (note) => {
    const [large] = simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    await untilAfterTicks(on, "rows are missing", isRight);
    const row = (await rows()).find(({ response_id }) => response_id === large);
    const comment = simulator.truthOf(surveyId, Number(large))?.records[0]?.comment;
    assert.equal(row?.answers?.[0]?.comment, comment);
    note(`${truth().length} rows; a comment of ${String(comment).length} characters came by claim check`);
  });
  await report.step(`${NAME}: a response that grows shows its new answers`, async () => {
    const { length = 0 } = simulator.truthOf(surveyId, first)?.records ?? [];
    simulator.edit(surveyId, first, { records: length + 2 });
    // The poller reads the page again as there is news on it.
    simulator.complete(surveyId);
    await untilAfterTicks(on, "the view shows the old answers", isRight);
  });
  await report.step(`${NAME}: a deleted response is shown no more`, async () => {
    simulator.remove(surveyId, second);
    await untilAfterTicks(on, "the view shows what is deleted", async () => {
      // The poller believes it by the second books, and books close with news.
      if (simulator.truth(surveyId).length < 12) simulator.complete(surveyId);
      return isRight();
    });
    assert.ok((await rows()).some(({ event_type }) => event_type === "response.deleted"));
  });
  await report.step(`${NAME}: destroyed, and the bucket is kept`, async () => {
    await example.destroy();
    assert.ok((await rows()).length > 0);
  });
  s3.destroy();
}
