import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SQSClient } from "@aws-sdk/client-sqs";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { beforeEach, expect, it, vi } from "vitest";
import type { ForgetAnswer } from "../../../../lib/cli/verbs/forget.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { answerOf, survey, useFolder } from "../support/command.ts";
import { holdLease, inAws } from "../support/folder-aws.ts";

/** The dead-letter queue of a webhook, and how many of its messages are read. */
const queue = vi.hoisted(() => ({ arn: "", most: 5_000 }));
vi.mock("../../../../lib/cli/target/open-target.ts", async (original) => {
  const { openTarget: open, ...others } = await original<typeof import("../../../../lib/cli/target/open-target.ts")>();
  return {
    ...others,
    async openTarget(...args: Parameters<typeof open>) {
      const outputs = { ForwardDeadLetterQueueArnCrm: queue.arn, DeadLetterQueueUrl: "not of a webhook" };
      return {
        ...(await open(...args)),
        stack: { stackName: "S", functionName: "f", outputs, call: async () => ({}) },
      };
    },
  };
});
vi.mock("../../../../lib/cli/target/read-queue.ts", async (original) => {
  const { readQueue: read } = await original<typeof import("../../../../lib/cli/target/read-queue.ts")>();
  return {
    readQueue: (client: SQSClient, url: string, reading: Parameters<typeof read>[2]) =>
      read(client, url, { ...reading, most: queue.most }),
  };
});

const withQueue = <T>(work: (sqs: SQSClient, QueueUrl: string) => Promise<T>): Promise<T> =>
  inAws(folder.data, async ({ sqs }) => {
    const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: "crm-dead" }));
    return await work(sqs, QueueUrl);
  });

/** A survey of which three responses went out, and the ledger keeps no hash of any key. */
const folder = useFolder({ surveys: [{ surveyId: 7, responses: 3 }] });
const NEVER_MET = 99;

const event = (responseId: number, crk: string | null, surveyId = 7, sourceName = "main") =>
  JSON.stringify({
    detail: { meta: { sourceName }, data: { surveyId, responseId, response: { crk }, metadata: null } },
  });

/** Messages that are in the queue. */
const left = () =>
  withQueue(async (sqs, QueueUrl) => {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
    return Number((await sqs.send(asked)).Attributes?.ApproximateNumberOfMessages);
  });

const listed = () => folder.simulator.truth(7).map(({ responseId }) => responseId);

beforeEach(async () => {
  queue.most = 5_000;
  await withQueue(async (sqs, QueueUrl) => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
    queue.arn = Attributes?.QueueArn ?? "";
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
    const [first = 0, second = 0] = listed();
    const bodies = [
      ...[event(NEVER_MET, "customer-1"), event(NEVER_MET, null), event(first, null)],
      ...[
        event(first, "customer-3", 7, "other"),
        event(second, "customer-2"),
        event(second, "customer-1", 8),
        "no event",
      ],
    ];
    for (const MessageBody of bodies) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  });
});

const run = (...flags: string[]) => survey(["forget", ...flags, "--data", folder.data, "--json"]);

it("by a key: a dead letter names a response that the ledger cannot find, and that is forgotten, too", async () => {
  const ran = await run("--crk", "customer-1", "--survey", "7", "--yes");

  const { responses, deadLetters, unsearched } = answerOf<ForgetAnswer>(ran);
  expect(responses).toMatchObject([
    { id: NEVER_MET, surveyId: 7, state: null, stays: { reason: "forgotten" }, problem: null },
  ]);
  expect(deadLetters).toEqual([{ queue: queue.arn, events: 2, isWhole: true }]);
  expect(await left()).toBe(5);
  expect(answerOf<ForgetAnswer>(await run(String(NEVER_MET))).responses).toMatchObject([
    { stays: { reason: "forgotten" } },
  ]);
  // Of those that went out without a hash nobody knows whose they are.
  expect(unsearched).toEqual([{ source: "main", responses: 3 }]);
  expect(ran.code).toBe(3);
});

it("without --yes deletes nothing, and says what would be", async () => {
  const ran = await run("--crk", "customer-2");

  const { responses, deadLetters } = answerOf<ForgetAnswer>(ran);
  expect(responses.map(({ id, state }) => [id, state])).toEqual([[listed()[1], "emitted"]]);
  expect(deadLetters).toMatchObject([{ events: 1 }]);
  expect(await left()).toBe(7);
});

it.each([
  ["an id", () => [String(listed()[0]), "--source", "main"]],
  ["a key", () => ["--crk", "customer-2"]],
])("of a survey that is being polled leaves the dead letters, too: by %s", async (_by, flags) => {
  const release = await holdLease(folder, 7);
  const busy = await run(...flags(), "--yes");
  await release();
  expect(busy.code).toBe(3);
  expect(await left()).toBe(7);

  const { deadLetters } = answerOf<ForgetAnswer>(await run(...flags(), "--yes"));
  expect(deadLetters).toMatchObject([{ events: 1 }]);
  expect(await left()).toBe(6);
});

it("an id of which a dead letter of another source tells, too, is asked about before anything is written", async () => {
  const file = join(temporaryFolder(), "one.json");
  const ran = await run(String(listed()[0]), "--export", file, "--yes");
  expect(ran.code).toBe(2);
  expect(ran.stdout).toContain("--survey 7 --source main, or --survey 7 --source other");
  expect(existsSync(file)).toBe(false);
  expect(await left()).toBe(7);
});

it("leaves a dead letter of a source that the configuration no longer names, and tells of it", async () => {
  const ran = await run("--crk", "customer-3", "--yes");
  const { responses, elsewhere } = answerOf<ForgetAnswer>(ran);
  expect(responses).toMatchObject([{ id: listed()[0], source: "other", problem: { code: expect.any(String) } }]);
  expect(elsewhere.map(({ where }) => where)).toContain("sources that the configuration no longer names");
  expect(await left()).toBe(7);
  expect(ran.code).toBe(3);
});

it("a queue that could not be read whole is not done: exit code 3", async () => {
  queue.most = 1;
  const ran = await run(String(listed()[2]), "--yes");
  expect(ran.code).toBe(3);
  expect(answerOf<ForgetAnswer>(ran)).toMatchObject({
    responses: [{ stays: { reason: "forgotten" } }],
    deadLetters: [{ events: 0, isWhole: false }],
  });
});
