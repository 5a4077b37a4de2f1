import { join } from "node:path";
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { parseConfig } from "../../lib/config/index.ts";
import type { EmbeddedAws } from "../../local/aws/index.ts";
import type { DeliveredEvent } from "../support/command.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";
import { clientOf, readClaimed, withAws } from "./support/with-aws.ts";

const QUEUE = "low-scores";

test("a response too large for an event leaves its answers in S3, and rules on the rest still match", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 2 }] });
  const { simulator, folder } = service;
  const dataDir = join(folder, "data");
  const [large = 0] = simulator.complete(1, 1, { records: 60, commentBytes: 30_000 });
  const truth = simulator.truth();
  await withAws(dataDir, (aws) =>
    subscribe(aws, pointsOf(truth.find(({ responseId }) => responseId === large)?.metrics)),
  );

  const { events } = await service.poll({ "start-from": "beginning" });

  const event = events.find(({ detail }) => detail.data.responseId === large);
  const ref = event?.detail.data.answersRef;
  expect(event?.detail.data.answers).toEqual([]);
  expect(event?.detail.data.response.answerCount).toBe(60);
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(10_000);
  expect(ref?.bytes).toBeGreaterThan(60 * 30_000);

  await withAws(dataDir, async (aws) => {
    const claimed = await readClaimed(aws, events);
    expect(Buffer.byteLength(JSON.stringify(claimed.get(event?.detail.meta.eventId ?? "")))).toBe(ref?.bytes);
    expect(compareWithTruth(events, truth, { claimed })).toEqual([]);

    const delivered = await receiveAll(aws);
    expect(delivered.map(({ detail }) => detail.data.responseId)).toContain(large);
    expect(delivered.find(({ detail }) => detail.data.responseId === large)).toEqual(event);
  });
});

async function subscribe(aws: EmbeddedAws, pointsSum: number): Promise<void> {
  const { bus } = parseConfig({ baseUrl: "https://surveys.example.com" }, { deployed: false });
  const events = new EventBridgeClient(clientOf(aws, "eventbridge"));
  const sqs = new SQSClient(clientOf(aws, "sqs"));
  await sqs.send(new CreateQueueCommand({ QueueName: QUEUE }));
  await events.send(new CreateEventBusCommand({ Name: bus.name }));
  const pattern = {
    detail: { data: { metrics: { score: { nps: [true], pointsSum: [{ numeric: ["=", pointsSum] }] } } } },
  };
  const rule = { Name: QUEUE, EventBusName: bus.name };
  await events.send(new PutRuleCommand({ ...rule, EventPattern: JSON.stringify(pattern) }));
  const Arn = `arn:aws:sqs:us-east-1:000000000000:${QUEUE}`;
  await events.send(new PutTargetsCommand({ Rule: rule.Name, EventBusName: bus.name, Targets: [{ Id: QUEUE, Arn }] }));
  events.destroy();
  sqs.destroy();
}

async function receiveAll(aws: EmbeddedAws): Promise<DeliveredEvent[]> {
  const sqs = new SQSClient(clientOf(aws, "sqs"));
  const QueueUrl = `${aws.endpoints.sqs}/000000000000/${QUEUE}`;
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
  );
  sqs.destroy();
  return Messages.map(({ Body }) => JSON.parse(Body ?? "") as DeliveredEvent);
}

/** The score of the metric that is an NPS. */
function pointsOf(metrics: unknown): number {
  const [map] = metrics as Record<string, { score: { nps: boolean; pointsSum: number } }>[];
  return Object.values(map ?? {}).find(({ score }) => score.nps)?.score.pointsSum ?? Number.NaN;
}
