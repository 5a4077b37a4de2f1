import type { EventBridge, Target } from "@aws-sdk/client-eventbridge";
import { expect, test } from "vitest";
import { createQueue, entry, errorName, startForTest, takeMessages, takeNumbers } from "./support.ts";

const EventBusName = "surveys";
const queueArn = "arn:aws:sqs:us-east-1:000000000000:queue";

/** A bus with one rule for everything of ours, to the target. */
async function subscribe(eventbridge: EventBridge, pattern: object = {}) {
  const EventPattern = JSON.stringify({ source: ["survey-poller"], ...pattern });
  await eventbridge.createEventBus({ Name: EventBusName });
  await eventbridge.putRule({ Name: "rule", EventBusName, EventPattern });
  const Targets = [{ Id: "target", Arn: queueArn }];
  await eventbridge.putTargets({ Rule: "rule", EventBusName, Targets });
}

async function put(eventbridge: EventBridge, ...numbers: number[]) {
  const Entries = numbers.map((n) => entry({ EventBusName, Detail: `{"n":${n}}` }));
  await eventbridge.putEvents({ Entries });
}

test("matching events of the rule's bus reach its queue as the whole envelope, in order", async () => {
  const { eventbridge, sqs, events } = await startForTest();
  const { url } = await createQueue(sqs);
  await subscribe(eventbridge, { detail: { n: [{ numeric: [">=", 2] }] } });

  await put(eventbridge, 1, 2, 3);
  await eventbridge.putEvents({ Entries: [entry({ Detail: '{"n":9}' })] });

  const messages = (await takeMessages(sqs, url, 2)).map((body) => JSON.parse(body));
  expect(messages).toEqual(events.slice(1, 3));
  expect(events).toHaveLength(4);
  expect(await takeMessages(sqs, url, 1, 0)).toEqual([]);
});

test("a message that its queue can never take, and one without a queue, keep nothing else waiting", async () => {
  const { eventbridge, sqs } = await startForTest();
  await subscribe(eventbridge);
  await put(eventbridge, 1);
  const { url } = await createQueue(sqs);
  // Within the limit of PutEvents, but over that of SQS once it is in its envelope.
  const big = `{"a":"${"x".repeat(1_048_500)}"}`;
  await eventbridge.putEvents({ Entries: [entry({ EventBusName, Detail: big })] });
  await put(eventbridge, 2);

  expect(await takeNumbers(sqs, url, 1)).toEqual([2]);
});

test("a disabled rule, a removed target and a deleted rule deliver nothing", async () => {
  const { eventbridge, sqs } = await startForTest();
  const { url } = await createQueue(sqs);
  await subscribe(eventbridge);
  const rule = { Name: "rule", EventBusName, EventPattern: '{"source":["survey-poller"]}' };

  await eventbridge.putRule({ ...rule, State: "DISABLED" });
  await put(eventbridge, 1);
  await eventbridge.putRule(rule);
  await put(eventbridge, 2);
  const deleteRule = () => eventbridge.deleteRule({ Name: "rule", EventBusName });
  expect(await errorName(deleteRule())).toBe("ValidationException");
  await eventbridge.removeTargets({ Rule: "rule", EventBusName, Ids: ["target"] });
  await put(eventbridge, 3);
  await deleteRule();
  await put(eventbridge, 4);

  expect(await takeNumbers(sqs, url, 1)).toEqual([2]);
  expect(await takeMessages(sqs, url, 1, 0)).toEqual([]);
  expect(await errorName(deleteRule())).toBe("no error");
});

test("rules and targets are listed, also after a restart and by the bus's ARN", async () => {
  const first = await startForTest();
  await subscribe(first.eventbridge);
  await first.eventbridge.putRule({ Name: "another", EventBusName, EventPattern: '{"source":["x"]}' });
  await first.aws.close();

  const { eventbridge } = await startForTest({ dataDir: first.dataDir });
  const { Arn } = await eventbridge.describeEventBus({ Name: EventBusName });
  expect(Arn).toBe("arn:aws:events:us-east-1:000000000000:event-bus/surveys");
  const { Rules } = await eventbridge.listRules({ EventBusName: Arn });
  const another = { Name: "another", EventPattern: '{"source":["x"]}', State: "ENABLED" };
  expect(Rules).toMatchObject([another, { Name: "rule" }]);
  expect(Rules?.[0]?.Arn).toBe("arn:aws:events:us-east-1:000000000000:rule/surveys/another");
  const beginning = await eventbridge.listRules({ EventBusName, NamePrefix: "ru" });
  expect(beginning.Rules).toMatchObject([{ Name: "rule" }]);
  const { Targets } = await eventbridge.listTargetsByRule({ Rule: "rule", EventBusName });
  expect(Targets).toEqual([{ Id: "target", Arn: queueArn }]);
});

test("what AWS refuses is refused", async () => {
  const { eventbridge } = await startForTest();
  await subscribe(eventbridge);
  const rule = (EventPattern: string, bus = EventBusName) =>
    errorName(eventbridge.putRule({ Name: "other", EventBusName: bus, EventPattern }));
  const targets = (Targets: Target[], Rule = "rule") =>
    errorName(eventbridge.putTargets({ Rule, EventBusName, Targets }));

  expect(await rule('{"source":"survey-poller"}')).toBe("InvalidEventPatternException");
  expect(await rule('{"source":[{"suffix":1}]}')).toBe("InvalidEventPatternException");
  expect(await rule("{")).toBe("InvalidEventPatternException");
  expect(await rule('{"source":["x"]}', "nowhere")).toBe("ResourceNotFoundException");
  expect(await targets([{ Id: "a", Arn: queueArn }], "none")).toBe("ResourceNotFoundException");
  expect(await targets([{ Id: "a", Arn: "arn:aws:lambda:us-east-1:000000000000:function:f" }])).toBe(
    "ValidationException",
  );
  expect(await targets([{ Id: "a", Arn: queueArn, InputPath: "$.detail" }])).toBe("ValidationException");
  expect(await errorName(eventbridge.createEventBus({ Name: EventBusName }))).toBe("ResourceAlreadyExistsException");
});
