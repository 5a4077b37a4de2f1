import assert from "node:assert/strict";
import { AthenaClient, GetNamedQueryCommand } from "@aws-sdk/client-athena";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { Row } from "../../../../examples/responses-to-s3/row.ts";
import { VIEW, viewOf } from "../../../examples/support/responses-view.ts";
import { survey } from "../../support/command.ts";
import { deployExample, type ExampleStage } from "../../support/examples.ts";
import { output } from "../../support/stage.ts";
import { untilAfterTicks } from "../../support/ticks.ts";

/** More than the poller leaves in an event. */
const LARGE = 300_000;

export async function responsesToS3(on: ExampleStage): Promise<void> {
  const { report, simulator, aws, surveyId } = on;
  const replace = { "<ClaimCheckBucketName>": output(on, "ClaimCheckBucketName") };
  const example = await deployExample(on, { replace });
  await report.step("the view's query is saved in the workgroup", async () => {
    const athena = new AthenaClient(aws.options);
    const asked = new GetNamedQueryCommand({ NamedQueryId: output(example, "ViewQueryId") });
    const { NamedQuery } = await athena.send(asked);
    athena.destroy();
    const { QueryString, Database, WorkGroup } = NamedQuery ?? {};
    assert.deepEqual([QueryString, Database, WorkGroup], [VIEW, "surveys", "survey-responses"]);
  });
  const rows = async (): Promise<Row[]> => {
    const Bucket = output(example, "BucketName");
    const { Contents = [] } = await aws.s3.send(new ListObjectsV2Command({ Bucket, Prefix: "events/day=" }));
    return Promise.all(
      Contents.map(async ({ Key }) => {
        const { Body } = await aws.s3.send(new GetObjectCommand({ Bucket, Key }));
        return JSON.parse((await Body?.transformToString()) ?? "") as Row;
      }),
    );
  };
  /** Whether the view shows the responses of this survey, each with as many answers as it has. */
  const isRight = async (): Promise<boolean> => {
    const view = viewOf((await rows()).filter((row) => row.survey_id === surveyId));
    const shown = view.map(({ response_id, answers }) => [response_id, answers?.length ?? 0]);
    const truth = simulator.truth(surveyId).map(({ responseId, records }) => [responseId, records.length]);
    return JSON.stringify(shown) === JSON.stringify(truth);
  };

  const [first = 0, second = 0] = simulator.complete(surveyId, 6);
  await report.step("each response is a row of the view, a large one with its answers", async () => {
    const [large] = simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    await untilAfterTicks(on, "rows are missing", isRight);
    const row = (await rows()).find(({ response_id }) => response_id === large);
    const comment = simulator.truthOf(surveyId, Number(large))?.records[0]?.comment;
    assert.equal(row?.answers?.[0]?.comment, comment);
  });
  await report.step("a response that grows shows its new answers, a deleted one is shown no more", async () => {
    const { length = 0 } = simulator.truthOf(surveyId, first)?.records ?? [];
    simulator.edit(surveyId, first, { records: length + 2 });
    simulator.remove(surveyId, second);
    // The poller reads a page again as there is news on it. It believes a deletion by the second books.
    simulator.complete(surveyId);
    for (const _ of ["first", "second"]) await survey(on, `audit --now --survey ${surveyId} --yes`);
    await untilAfterTicks(on, "the view shows what was", isRight);
    assert.ok((await rows()).some(({ event_type }) => event_type === "response.deleted"));
  });
  await report.step("destroyed, and the bucket is kept", async () => {
    await example.destroy();
    assert.ok((await rows()).length > 0);
  });
}
