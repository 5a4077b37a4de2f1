import { ExecutionAlreadyExists, SFNClient, type StartExecutionCommand } from "@aws-sdk/client-sfn";
import { App } from "aws-cdk-lib";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { FollowUp } from "../../examples/comment-follow-up/handler.ts";
import { CommentFollowUp } from "../../examples/comment-follow-up/stack.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { golden } from "./support/events.ts";

let aws: ExampleAws;
let handler: typeof import("../../examples/comment-follow-up/handler.ts").handler;
/** Inputs by the names of the executions. */
const executions = new Map<string, FollowUp>();
const send = vi.spyOn(SFNClient.prototype, "send");

beforeAll(async () => {
  aws = await startExampleAws();
  Object.assign(process.env, aws.env);
  ({ handler } = await import("../../examples/comment-follow-up/handler.ts"));
});

beforeEach(() => {
  executions.clear();
  process.env.WITH_COMMENTS = "true";
  // Takes each name once, as Step Functions does, and no input that is too large for it.
  const start = async ({ input: { name = "", input = "" } }: StartExecutionCommand): Promise<void> => {
    if (executions.has(name)) throw new ExecutionAlreadyExists({ message: name, $metadata: {} });
    expect(Buffer.byteLength(input)).toBeLessThanOrEqual(262_144);
    executions.set(name, JSON.parse(input));
  };
  send.mockImplementation(start as never);
});

afterAll(() => aws.close());

function started(): FollowUp {
  const [only, ...more] = executions.values();
  expect(more).toEqual([]);
  return only as FollowUp;
}

it("a follow-up is started once for each event, under its id, with what a ticket needs and nothing else", async () => {
  const event = golden("detractor");

  await handler(event);
  await handler({ ...event, id: "another delivery" });

  const { meta, data } = event.detail;
  expect([...executions.keys()]).toEqual([meta.eventId]);
  expect(started()).toEqual({
    eventId: meta.eventId,
    survey: data.survey?.name,
    surveyId: data.surveyId,
    responseId: data.responseId,
    customer: data.response.crk ?? "",
    class: "detractor",
    score: data.summary.nps?.score,
    comments: data.summary.comments,
    text: expect.any(String),
    test: false,
  });
});

it("it has each comment below its question", async () => {
  await handler(golden("comment"));
  const answers = golden("comment").detail.data.answers.filter(({ comment }) => comment !== "");
  expect(answers.length).toBeGreaterThan(0);
  for (const { question, comment } of answers) expect(started().text).toContain(`${question?.text}\n${comment}`);
});

it("it has no comments, and reads none from the bucket, where the stack does not ask for them", async () => {
  process.env.WITH_COMMENTS = "false";
  await handler(golden("large"));
  expect(started()).toMatchObject({ text: "", comments: 1 });
});

it("it has the comments of a large event from the bucket, and never more than a state machine takes", async () => {
  const event = golden("large");
  const { bucket, key } = event.detail.data.answersRef ?? { bucket: "", key: "" };
  const [answer] = golden("comment").detail.data.answers.filter(({ comment }) => comment !== "");
  // As large in the input as a character can become.
  const long = { ...answer, comment: "\u0001".repeat(300_000) };
  await aws.object(bucket, key, JSON.stringify([answer, long]));

  await handler(event);

  expect(started().text).toContain(answer?.comment);
  expect(started().text).toHaveLength(20_001);
});

it("one that cannot be started is an error, so that Lambda tries again", async () => {
  send.mockRejectedValueOnce(new Error("no such machine") as never);
  await expect(handler(golden("detractor"))).rejects.toThrow();
  await handler(golden("detractor"));
  expect(executions.size).toBe(1);
});

it("an event without a score is refused with a hint", async () => {
  await expect(handler(golden("minimal"))).rejects.toThrow("has no score. Check the pattern of the rule.");
});

it("a stack with comments needs the name of the bucket", () => {
  expect(() => new CommentFollowUp(new App(), "Test", { withComments: true })).toThrow("claimCheckBucketName");
});
