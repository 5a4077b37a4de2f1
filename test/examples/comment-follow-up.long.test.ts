import { Duration } from "aws-cdk-lib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FollowUp } from "../../examples/comment-follow-up/handler.ts";
import { CommentFollowUp, type CommentFollowUpProps } from "../../examples/comment-follow-up/stack.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { golden } from "./support/golden.ts";
import { type StateMachines, startStateMachines } from "./support/state-machines.ts";
import { type Synthesized, synthesizeExample } from "./support/template.ts";

let aws: ExampleAws;
let machines: StateMachines;
let handler: typeof import("../../examples/comment-follow-up/handler.ts").handler;

beforeAll(async () => {
  aws = await startExampleAws();
  machines = await startStateMachines();
  Object.assign(process.env, aws.env, {
    AWS_ENDPOINT_URL_SFN: machines.url,
    STATE_MACHINE_ARN: "arn:aws:states:us-east-1:000000000000:stateMachine:follow-up",
    WITH_COMMENTS: "true",
  });
  ({ handler } = await import("../../examples/comment-follow-up/handler.ts"));
});

afterEach(() => {
  machines.executions.clear();
  machines.failWith = undefined;
  process.env.WITH_COMMENTS = "true";
});

afterAll(async () => {
  machines.close();
  await aws.close();
});

function started(): FollowUp {
  const [only, ...more] = machines.executions.values();
  expect(more).toEqual([]);
  return only as FollowUp;
}

describe("a follow-up", () => {
  it("is started once for each event, under its id, with what a ticket needs and nothing else", async () => {
    const event = golden("detractor");

    await handler(event);
    await handler({ ...event, id: "another delivery" });

    const { meta, data } = event.detail;
    expect([...machines.executions.keys()]).toEqual([meta.eventId]);
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

  it("has each comment below its question", async () => {
    await handler(golden("comment"));
    const answers = golden("comment").detail.data.answers.filter(({ comment }) => comment !== "");
    expect(answers.length).toBeGreaterThan(0);
    for (const { question, comment } of answers) expect(started().text).toContain(`${question?.text}\n${comment}`);
  });

  it("has no comments, and reads none from the bucket, where the stack does not ask for them", async () => {
    process.env.WITH_COMMENTS = "false";
    await handler(golden("large"));
    expect(started()).toMatchObject({ text: "", comments: 1 });
  });

  it("has the comments of a large event from the bucket, and never more than a state machine takes", async () => {
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

  it("has no half of a character where comments are cut", async () => {
    const event = golden("comment");
    const [answer] = event.detail.data.answers;
    Object.assign(event.detail.data, { answers: [{ ...answer, question: null, comment: `a${"👍".repeat(10_000)}` }] });

    await handler(event);

    expect(started().text).toHaveLength(20_001);
    expect(started().text.isWellFormed()).toBe(true);
  });

  it("that cannot be started is an error, so that Lambda tries again", async () => {
    machines.failWith = "StateMachineDoesNotExist";
    await expect(handler(golden("detractor"))).rejects.toThrow();
    machines.failWith = undefined;
    await handler(golden("detractor"));
    expect(machines.executions.size).toBe(1);
  });

  it("of an event without a score is refused with a hint", async () => {
    await expect(handler(golden("minimal"))).rejects.toThrow("has no score. Check the pattern of the rule.");
  });
});

describe("the stack", { timeout: 120_000 }, () => {
  function synthesized(props: CommentFollowUpProps): Synthesized {
    return synthesizeExample((app) => new CommentFollowUp(app, "Test", props));
  }

  it("hears of detractors and passives with a comment, and of nobody else; it waits as long as it is told", () => {
    const { template } = synthesized({ busName: "team", patience: Duration.hours(5) });
    template.hasResourceProperties("AWS::Events::Rule", {
      EventBusName: "team",
      EventPattern: {
        "detail-type": ["response.completed"],
        detail: { data: { summary: { comments: [{ numeric: [">", 0] }], nps: { class: ["detractor", "passive"] } } } },
      },
    });
    const machine = JSON.stringify(template.findResources("AWS::StepFunctions::StateMachine"));
    expect(machine).toContain('\\"Seconds\\":18000');
    expect(JSON.stringify(template.findResources("AWS::IAM::Policy"))).not.toContain("s3:GetObject");
  });

  it("with comments may read large answers, and keeps comments out of the log of executions", () => {
    const { template, findings } = synthesized({ withComments: true, claimCheckBucketName: "claim-checks" });
    template.hasResourceProperties("AWS::StepFunctions::StateMachine", {
      LoggingConfiguration: { IncludeExecutionData: false, Level: "ALL" },
    });
    expect(findings).toEqual([
      // Logs and traces of a state machine know no narrower permission.
      "AwsSolutions-IAM5[Resource::*]",
      // Nobody knows the names of objects with answers before.
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::claim-checks/answers/*]",
      // The queue that dead letters go to.
      "AwsSolutions-SQS3",
    ]);
  });

  it("with comments needs the name of the bucket", () => {
    expect(() => synthesized({ withComments: true })).toThrow("claimCheckBucketName");
  });
});
