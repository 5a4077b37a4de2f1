import assert from "node:assert/strict";
import { join } from "node:path";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DetailOf } from "../../../../lib/events/index.ts";
import { readDocument } from "../../../docs/support/markdown.ts";
import { deployExample, type ExampleStage, LARGE } from "../../support/examples.ts";
import { shell, succeed } from "../../support/processes.ts";
import { output } from "../../support/stage.ts";
import { completed, untilArrived } from "../../support/ticks.ts";
import { until } from "../../support/until.ts";

/** Responses, of which some are detractors with a comment. */
const SOME = 20;

type Detail = DetailOf<"response.completed">;

const idOf = ({ meta }: Detail): string => meta.eventId;
const classOf = ({ data }: Detail): string | undefined => data.summary.nps?.class;
const isUnhappy = (detail: Detail): boolean =>
  detail.data.summary.comments > 0 && ["detractor", "passive"].includes(classOf(detail) ?? "");

export async function commentFollowUp(on: ExampleStage): Promise<void> {
  const { report, simulator, aws, surveyId, folder, emulator } = on;
  const options = { cwd: folder, env: emulator.env, limit: 60_000 };
  const cli = async (...args: string[]) => JSON.parse((await succeed("aws", args, options)).stdout || "{}");
  const claimCheck = `-c claimCheckBucketName=${output(on, "ClaimCheckBucketName")}`;
  const example = await deployExample(on, { more: `-c withComments=true ${claimCheck} -c patience=PT1S` });
  const TableName = output(example, "TicketsTable");
  const machine = output(example, "StateMachineArn");
  const tickets = async () => (await aws.items(TableName)).filter(({ survey }) => survey === surveyId);

  // The desk is a queue that subscribes to its topic.
  const { QueueUrl } = await cli("sqs", "create-queue", "--queue-name", "desk");
  const topic = output(example, "DeskTopicArn");
  const queueArn = topic.replace(":sns:", ":sqs:").replace(/[^:]+$/, "desk");
  const to = ["--protocol", "sqs", "--notification-endpoint", queueArn, "--attributes", "RawMessageDelivery=true"];
  await cli("sns", "subscribe", "--topic-arn", topic, ...to);
  /** Tickets of this survey's events that the desk was told of. Surveys of other examples have detractors too. */
  const told: string[] = [];

  const unhappy = await report.step("a ticket for each unhappy comment, also of a large event", async (note) => {
    simulator.complete(surveyId, SOME);
    simulator.complete(surveyId, SOME, { records: 1, commentBytes: LARGE });
    await untilArrived(on);
    const all = completed(on, surveyId).map(({ detail }) => detail);
    const found = all.filter(isUnhappy);
    assert.ok(found.length > 0 && found.length < all.length, "a filter that tells nothing apart");
    assert.ok(
      found.some(({ data }) => data.answersRef !== null),
      "no large event",
    );
    await until("tickets are missing", async () => (await tickets()).length >= found.length);
    const wanted = found.map((one) => `${idOf(one)} ${classOf(one) === "detractor" ? "high" : "normal"}`);
    const opened = await tickets();
    assert.deepEqual(opened.map(({ ticket, priority }) => `${ticket} ${priority}`).sort(), wanted.sort());
    for (const { comments } of opened) assert.match(String(comments), /^.{1,20001}$/s);
    note(`${found.length} of ${all.length} responses`);
    return found;
  });
  await report.step("the desk hears of each detractor whose ticket stays open, and of nobody else", async () => {
    const detractors = unhappy.filter((one) => classOf(one) === "detractor").map(idOf);
    const ids = new Set(unhappy.map(idOf));
    await until("the desk was not told", async () => {
      const tickets = (await aws.take(QueueUrl)).map(({ Body = "" }) => /\(ticket (.+)\)$/.exec(Body)?.[1] ?? Body);
      told.push(...tickets.filter((ticket) => ids.has(ticket)));
      return told.length >= detractors.length;
    });
    assert.deepEqual(told.sort(), detractors.sort());
  });
  const executions = async (...more: string[]): Promise<string[]> => {
    const listed = await cli("stepfunctions", "list-executions", "--state-machine-arn", machine, ...more);
    return (listed.executions as { name: string }[]).map(({ name }) => name);
  };
  await report.step("a ticket that the team has closed is left alone", async () => {
    const Item = { ticket: "closed", status: "closed", title: "Closed" };
    await aws.documents.send(new PutCommand({ TableName, Item }));
    const figures = { class: "detractor", score: 1, comments: 1, text: "", test: false };
    const input = { eventId: "closed", survey: "Closed", surveyId, responseId: 1, customer: "", ...figures };
    const start = ["--state-machine-arn", machine, "--name", "closed", "--input", JSON.stringify(input)];
    await cli("stepfunctions", "start-execution", ...start);
    await until("it does not end", async () => (await executions("--status-filter", "SUCCEEDED")).includes("closed"));
    const said = (await aws.take(QueueUrl)).map(({ Body }) => Body);
    assert.ok(!said.join().includes("(ticket closed)"));
  });
  await report.step("a follow-up is tried by hand, as the README says", async () => {
    const { fenced } = readDocument(join(on.examples, on.name, "README.md"));
    const tryIt = fenced.find(({ heading }) => heading === "Try it")?.code ?? "";
    const [start = "", look = ""] = tryIt.split(/(?=aws dynamodb)/);
    await shell(start.replace("<StateMachineArn>", machine), options);
    const seen = async () => (await shell(look.replace("<TicketsTable>", TableName), options)).stdout;
    await until("there is no ticket", async () => (await seen()).includes("[test] After a visit: 7 of 10"));
  });
  await report.step("destroyed; the tickets are kept", async () => {
    await example.destroy();
    assert.ok((await tickets()).length > 0);
  });
}
