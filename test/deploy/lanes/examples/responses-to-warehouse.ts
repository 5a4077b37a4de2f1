import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AthenaClient, BatchGetNamedQueryCommand, ListNamedQueriesCommand } from "@aws-sdk/client-athena";
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { savedQueries } from "../../../../examples/responses-to-warehouse/queries.ts";
import { openWarehouse, type Warehouse } from "../../../examples/support/warehouse.ts";
import { watchAlarms } from "../../support/alarms.ts";
import { survey } from "../../support/command.ts";
import { deployExample, type ExampleStage, LARGE } from "../../support/examples.ts";
import { output } from "../../support/stage.ts";
import { tick, untilAfterTicks } from "../../support/ticks.ts";
import { until } from "../../support/until.ts";

export async function responsesToWarehouse(on: ExampleStage): Promise<void> {
  const { report, simulator, aws, surveyId, folder } = on;
  const example = await deployExample(on, {
    replace: {
      "<ClaimCheckBucketName>": output(on, "ClaimCheckBucketName"),
      "<ResendFunctionArn>": output(on, "ResendFunctionArn"),
    },
    // A file is written at once here.
    more: "-c settleSeconds=10",
  });
  await report.step("the queries are saved in the workgroup", async () => {
    const athena = new AthenaClient(aws.options);
    const WorkGroup = output(example, "WorkGroupName");
    const { NamedQueryIds } = await athena.send(new ListNamedQueriesCommand({ WorkGroup }));
    const { NamedQueries = [] } = await athena.send(new BatchGetNamedQueryCommand({ NamedQueryIds }));
    athena.destroy();
    const saved = new Map(NamedQueries.map(({ Name, QueryString }) => [Name, QueryString]));
    assert.deepEqual(saved, new Map(savedQueries().map(({ name, queryString }) => [name, queryString])));
  });
  const Bucket = output(example, "BucketName");
  const keys = async (): Promise<string[]> => {
    const { Contents = [] } = await aws.s3.send(new ListObjectsV2Command({ Bucket, Prefix: "events/day=" }));
    return Contents.map(({ Key = "" }) => Key);
  };
  const bodyOf = async (Key: string): Promise<Uint8Array> => {
    const { Body } = await aws.s3.send(new GetObjectCommand({ Bucket, Key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  };
  /** Works on the files as they are now, in DuckDB. */
  const inDuckDb = async <T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> => {
    const copy = mkdtempSync(join(folder, "warehouse-"));
    for (const key of await keys()) {
      mkdirSync(dirname(join(copy, key)), { recursive: true });
      writeFileSync(join(copy, key), await bodyOf(key));
    }
    const warehouse = await openWarehouse(copy);
    await warehouse.open();
    return work(warehouse).finally(() => warehouse.close());
  };
  /** Rows of this survey in a view. */
  const rows = (columns: string, view: string, order: string): Promise<Record<string, unknown>[]> =>
    inDuckDb(({ query }) => query(`SELECT ${columns} FROM ${view} WHERE survey_id = ${surveyId} ORDER BY ${order}`));
  /** Whether the view shows the responses of this survey, each with as many answers as it has. */
  const isRight = async (): Promise<boolean> => {
    if ((await keys()).length === 0) return false;
    const shown = (await rows("response_id, len(answers) AS answers", "responses", "response_id")).map((row) => [
      Number(row.response_id),
      Number(row.answers),
    ]);
    const truth = simulator.truth(surveyId).map(({ responseId, records }) => [responseId, records.length]);
    return JSON.stringify(shown) === JSON.stringify(truth);
  };
  /** Deletes the files that have the events of a response. A file has one event here. */
  const lose = async (responseId: number): Promise<void> => {
    for (const file of await inDuckDb((warehouse) => warehouse.filesOf(surveyId, responseId))) {
      await aws.s3.send(new DeleteObjectCommand({ Bucket, Key: file.slice(file.indexOf("events/day=")) }));
    }
  };
  const closeBooks = () => survey(on, `audit --now --survey ${surveyId} --yes`);
  const missing = async (): Promise<number | undefined> =>
    new Map(await inDuckDb((warehouse) => warehouse.missing())).get(surveyId);
  const said = async (text: string): Promise<boolean> =>
    (await aws.logs(output(example, "CheckLogGroupName"))).some(
      (line) => line.includes(`survey ${surveyId} of main`) && line.includes(text),
    );

  simulator.complete(surveyId, 6);
  await report.step("each response is a row of a Parquet file, a large one with its answers", async (note) => {
    const [large] = simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    await untilAfterTicks(on, "rows are missing", isRight);
    const [answer] = await rows("comment", "answers", `response_id <> ${large}`);
    assert.equal(answer?.comment, simulator.truthOf(surveyId, Number(large))?.records[0]?.comment);
    note(`${(await keys()).length} files`);
  });
  await report.step("the files are complete by the query, also with a file that is there twice", async () => {
    await closeBooks();
    await until("the books have not come", async () => (await missing()) === 0);
    const [key = ""] = await keys();
    await aws.s3.send(
      new PutObjectCommand({ Bucket, Key: key.replace(/\.parquet$/, "-again.parquet"), Body: await bodyOf(key) }),
    );
    assert.equal(await missing(), 0);
    await until("the check says nothing", () => said("complete"), 60_000);
  });
  await report.step(
    "a file is lost: the query says so, the check has it sent again, and says that it is complete",
    async (note) => {
      const [lost = 0] = simulator.complete(surveyId);
      await untilAfterTicks(on, "rows are missing", isRight);
      await lose(lost);
      assert.equal(await isRight(), false);
      await closeBooks();
      await tick(on);
      await until("the query does not say what is missing", async () => (await missing()) === 1);
      await until("nothing was asked for", () => said("1 missing; asked for again: 1 sent"), 60_000);
      await until("it is not complete again", async () => (await missing()) === 0 && (await isRight()), 60_000);
      await until("the check does not say so", () => said("complete after 2 looks"), 60_000);
      note("1 missing, 1 sent, complete after 2 looks");
    },
  );
  await report.step("what cannot be sent again is said, and raises the alarm", async (note) => {
    const [lost = 0] = simulator.complete(surveyId);
    await untilAfterTicks(on, "rows are missing", isRight);
    await lose(lost);
    simulator.remove(surveyId, lost);
    await closeBooks();
    await until("it does not say why", () => said("1 missing; asked for again: 1 gone"), 60_000);
    const gaps = output(example, "GapsUrl");
    await until("the books are looked at for ever", async () => (await aws.waiting(gaps)) > 0, 120_000);
    const raised = await (await watchAlarms(aws)).raised();
    assert.ok(raised.includes(gaps.slice(gaps.lastIndexOf("/") + 1)), `raised is only: ${raised.join()}`);
    note("1 gone; the alarm is raised after 4 looks");
  });
  await report.step("destroyed, and the bucket is kept", async () => {
    await example.destroy();
    assert.ok((await keys()).length > 0);
  });
}
