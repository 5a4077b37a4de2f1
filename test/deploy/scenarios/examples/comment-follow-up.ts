import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DetailOf } from "../../../../lib/events/index.ts";
import type { DeliveredEvent } from "../../../support/command.ts";
import { ROOT } from "../../support/cdk.ts";
import { shell, succeed } from "../../support/processes.ts";
import { readBlocks } from "../../support/read-steps.ts";
import { until } from "../../support/until.ts";
import { output } from "../stage.ts";
import { type DeployedExample, deployExample, type ExampleStage, exampleOutput, untilAfterTicks } from "./stage.ts";

const NAME = "comment-follow-up";
/** More than a state machine takes as its input, and than the poller leaves in an event. */
const LARGE = 300_000;
/** Responses, of which some are detractors with a comment. */
const SOME = 20;

type Completed = Omit<DeliveredEvent, "detail"> & { detail: DetailOf<"response.completed"> };

interface Ticket {
  ticket: string;
  status: string;
  priority: string;
  comments: string;
}

export async function commentFollowUp(on: ExampleStage): Promise<void> {
  const { report, stage, deployment, surveyId } = on;
  const { simulator, aws } = stage;
  const claimCheck = output(deployment, "ClaimCheckBucketName");
  const example = await report.step(`${NAME}: deployed by its README, with comments and little patience`, () =>
    deployExample(on, NAME, { more: `-c withComments=true -c claimCheckBucketName=${claimCheck} -c patience=PT1S` }),
  );
  const table = exampleOutput(example, "TicketsTable");
  const ticketOf = async (event: Completed): Promise<Ticket | undefined> =>
    ((await aws.items(table)) as unknown as Ticket[]).find(({ ticket }) => ticket === idOf(event));
  const deskOf = await subscribeDesk(on, example);

  const first = await report.step(`${NAME}: a ticket for each unhappy comment, also of a large event`, async (note) => {
    simulator.complete(surveyId, SOME);
    simulator.complete(surveyId, SOME, { records: 1, commentBytes: LARGE });
    const all = await eventsOf(on, 2 * SOME);
    const unhappy = all.filter(isUnhappy);
    assert.ok(unhappy.length > 0 && unhappy.length < all.length, "a filter that tells nothing apart");
    await until("tickets are missing", async () => (await tickets(on, table)) >= unhappy.length);
    assert.equal(await tickets(on, table), unhappy.length);
    const large = unhappy.filter(({ detail }) => detail.data.answersRef !== null);
    for (const event of unhappy) {
      const { priority, comments } = (await ticketOf(event)) ?? assert.fail("an event without a ticket");
      assert.equal(priority, isDetractor(event) ? "high" : "normal");
      assert.ok(comments.length > 0 && comments.length <= 20_001);
    }
    assert.ok(large.length > 0, "no large event");
    note(`${unhappy.length} of ${all.length} responses, ${large.length} of them too large for a state machine`);
    return unhappy;
  });
  const detractors = first.filter(isDetractor);
  await report.step(
    `${NAME}: the desk hears of each detractor whose ticket stays open, and of nobody else`,
    async () => {
      const ids = new Set(first.map(idOf));
      // Surveys of other examples have detractors too.
      const told = async () => (await deskOf()).filter((ticket) => ids.has(ticket)).sort();
      await until("the desk was not told", async () => (await told()).length >= detractors.length);
      assert.deepEqual(await told(), detractors.map(idOf).sort());
    },
  );
  await report.step(`${NAME}: events that come again start nothing`, async (note) => {
    for (const event of first) {
      const { failed } = await aws.invoke(exampleOutput(example, "FunctionName"), { ...event, id: "another delivery" });
      assert.equal(failed, false);
    }
    const executions = await executionsOf(on, example);
    const own = executions.filter((name) => first.some((event) => idOf(event) === name));
    assert.equal(own.length, first.length);
    note(`${first.length} events were delivered twice`);
  });
  await report.step(`${NAME}: a ticket that the team has closed is left alone`, async () => {
    const [event] = detractors;
    assert.ok(event !== undefined);
    await put(on, table, { ticket: "closed", status: "closed", title: "Closed" });
    const input = { ...followUp(event), eventId: "closed" };
    await startByHand(on, example, "closed", input);
    await until("it does not end", async () => (await executionsOf(on, example, "SUCCEEDED")).includes("closed"));
    assert.ok(!(await deskOf()).includes("closed"));
  });
  await report.step(`${NAME}: a follow-up is tried by hand, as the README says`, async () => {
    const [block] = readBlocks(readFileSync(join(ROOT, "examples", NAME, "README.md"), "utf8"), "## Try it");
    const [start = "", look = ""] = (block?.code ?? "").split(/(?=aws dynamodb)/);
    const machine = exampleOutput(example, "StateMachineArn");
    const options = { cwd: stage.folder, env: stage.emulator.env, limit: 60_000 };
    await shell(start.replace("<StateMachineArn>", machine), options);
    await until("there is no ticket", async () =>
      (await shell(look.replace("<TicketsTable>", table), options)).stdout.includes("[test] After a visit: 7 of 10"),
    );
  });
  await report.step(`${NAME}: destroyed; the tickets are kept`, async () => {
    await example.destroy();
    assert.ok((await tickets(on, table)) > 0);
  });
}

function idOf({ detail }: Completed): string {
  return detail.meta.eventId;
}

function isUnhappy({ detail: { data } }: Completed): boolean {
  return data.summary.comments > 0 && ["detractor", "passive"].includes(data.summary.nps?.class ?? "");
}

function isDetractor({ detail: { data } }: Completed): boolean {
  return data.summary.nps?.class === "detractor";
}

/** All events of this survey, once there are so many. */
async function eventsOf(on: ExampleStage, count: number): Promise<Completed[]> {
  const { everything, surveyId } = on;
  const found = (): Completed[] =>
    (everything.events as unknown as Completed[]).filter(({ detail }) => detail.data.surveyId === surveyId);
  await untilAfterTicks(on, "events are missing", async () => {
    await everything.drain();
    return found().length >= count;
  });
  return found();
}

/** How many tickets of this survey there are. */
async function tickets({ stage: { aws }, surveyId }: ExampleStage, table: string): Promise<number> {
  return (await aws.items(table)).filter(({ survey }) => survey === surveyId).length;
}

/** What a follow-up of the event begins with. */
function followUp({ detail: { data } }: Completed): object {
  const { surveyId, responseId, summary } = data;
  const figures = { class: summary.nps?.class, score: summary.nps?.score, comments: summary.comments };
  return { survey: data.survey?.name, surveyId, responseId, customer: "", ...figures, text: "", test: false };
}

async function put({ stage }: ExampleStage, TableName: string, Item: Record<string, unknown>): Promise<void> {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new DynamoDBClient({ endpoint: stage.emulator.url, region: "us-east-1", credentials });
  await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName, Item }));
  client.destroy();
}

/** Runs the AWS command line, and gives what it answers. */
async function cli<T>({ stage: { folder, emulator } }: ExampleStage, ...args: string[]): Promise<T> {
  const { stdout } = await succeed("aws", args, { cwd: folder, env: emulator.env, limit: 60_000 });
  return JSON.parse(stdout || "{}") as T;
}

async function executionsOf(on: ExampleStage, example: DeployedExample, status?: string): Promise<string[]> {
  const machine = exampleOutput(example, "StateMachineArn");
  const only = status === undefined ? [] : ["--status-filter", status];
  const args = ["stepfunctions", "list-executions", "--state-machine-arn", machine, ...only];
  const { executions } = await cli<{ executions: { name: string }[] }>(on, ...args);
  return executions.map(({ name }) => name);
}

async function startByHand(on: ExampleStage, example: DeployedExample, name: string, input: object): Promise<void> {
  const machine = exampleOutput(example, "StateMachineArn");
  const given = ["--name", name, "--input", JSON.stringify(input)];
  await cli(on, "stepfunctions", "start-execution", "--state-machine-arn", machine, ...given);
}

/** Tickets that the desk has been told of, by a queue that subscribes to its topic. */
async function subscribeDesk(on: ExampleStage, example: DeployedExample): Promise<() => Promise<string[]>> {
  const { aws } = on.stage;
  const topic = exampleOutput(example, "DeskTopicArn");
  const { QueueUrl } = await cli<{ QueueUrl: string }>(on, "sqs", "create-queue", "--queue-name", "desk");
  const queue = topic.replace(":sns:", ":sqs:").replace(/[^:]+$/, "desk");
  const subscribe = ["--topic-arn", topic, "--protocol", "sqs", "--notification-endpoint", queue];
  await cli(on, "sns", "subscribe", ...subscribe, "--attributes", "RawMessageDelivery=true");
  const told: string[] = [];
  return async () => {
    for (;;) {
      const { Messages = [] } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
      if (Messages.length === 0) return told;
      for (const { Body = "", ReceiptHandle } of Messages) {
        told.push(/\(ticket (.+)\)$/.exec(Body)?.[1] ?? Body);
        await aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  };
}
