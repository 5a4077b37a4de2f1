import { App, Duration, type Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { CommentFollowUp } from "../../examples/comment-follow-up/stack.ts";
import { DetractorsToChat } from "../../examples/detractors-to-chat/stack.ts";
import { DetractorsToCrm } from "../../examples/detractors-to-crm/stack.ts";
import { ForwardSurveys } from "../../examples/forward-to-another-account/forward-stack.ts";
import { ReceiveSurveys } from "../../examples/forward-to-another-account/receive-stack.ts";
import { IdempotentLambda } from "../../examples/idempotent-lambda/stack.ts";
import { ResponsesToWarehouse } from "../../examples/responses-to-warehouse/stack.ts";
import { SqsWorkerPython } from "../../examples/sqs-worker-python/stack.ts";
import { EVENT_TYPES } from "../../lib/events/index.ts";
import { temporaryFolder } from "../support/command.ts";

const claimCheckBucketName = "answers";
const inboxArn = "arn:aws:events:eu-west-1:222222222222:event-bus/surveys";
const ofDetractors = { data: { summary: { nps: { class: ["detractor"] }, test: [false] } } };
const ofUnhappy = {
  data: { summary: { comments: [{ numeric: [">", 0] }], nps: { class: ["detractor", "passive"] }, test: [false] } },
};
const busName = "team";
const withAnswers = { busName, claimCheckBucketName };
const CONTENTS = ["response.completed", "response.updated"];

/** Functions are not bundled: the deploy test does that. */
const createApp = () => new App({ outdir: temporaryFolder(), context: { "aws:cdk:bundling-stacks": [] } });
/** The inbox of another account. */
const receiving = (app: App) =>
  new ReceiveSurveys(app, "Test", { pollerAccount: "111111111111", claimCheckBucketName });

type Example = readonly [make: (app: App) => Stack, types: readonly string[], where?: object];

/** What the rule of each lets through. */
const stacks: Record<string, Example> = {
  "detractors-to-chat": [(app) => new DetractorsToChat(app, "Test", { busName }), ["response.completed"], ofDetractors],
  "detractors-to-crm": [(app) => new DetractorsToCrm(app, "Test", { busName }), ["response.completed"], ofDetractors],
  "comment-follow-up": [
    (app) => new CommentFollowUp(app, "Test", { busName, withComments: true, claimCheckBucketName }),
    ["response.completed"],
    ofUnhappy,
  ],
  "idempotent-lambda": [(app) => new IdempotentLambda(app, "Test", { busName }), [...CONTENTS, "books.closed"]],
  "responses-to-warehouse": [(app) => new ResponsesToWarehouse(app, "Test", withAnswers), EVENT_TYPES],
  "sqs-worker-python": [(app) => new SqsWorkerPython(app, "Test", withAnswers), CONTENTS],
  "forward-to-another-account": [
    (app) => new ForwardSurveys(app, "Test", { busName, inboxArn }),
    ["response.completed", "response.updated", "response.deleted", "books.closed"],
  ],
  "the inbox of another account": [receiving, CONTENTS],
};

it.each(Object.entries(stacks))(
  "%s: hears of what its README says, and gives nothing up in silence",
  (_name, [make, types, where]) => {
    const template = Template.fromStack(make(createApp()));
    const resources = (type: string) =>
      Object.values(template.findResources(`AWS::${type}`)).map((one) => one.Properties);

    const [rule] = resources("Events::Rule");
    const detail = where === undefined ? {} : { detail: where };
    expect(rule.EventPattern).toMatchObject({ source: ["survey-poller"], "detail-type": types, ...detail });
    expect(rule.Targets).toEqual([expect.objectContaining({ DeadLetterConfig: expect.anything() })]);
    // By the rule itself, or out of a queue.
    for (const { MaximumRetryAttempts, DestinationConfig } of resources("Lambda::EventInvokeConfig"))
      expect([MaximumRetryAttempts, DestinationConfig]).toEqual([2, { OnFailure: expect.anything() }]);
    for (const { FunctionResponseTypes } of resources("Lambda::EventSourceMapping")) {
      expect(FunctionResponseTypes).toEqual(["ReportBatchItemFailures"]);
      const [timeout] = resources("Lambda::Function").map(({ Timeout }) => Timeout);
      const [worked] = resources("SQS::Queue").filter((queue) => "RedrivePolicy" in queue);
      expect(worked).toMatchObject({ VisibilityTimeout: 6 * timeout, RedrivePolicy: { maxReceiveCount: 5 } });
    }
  },
);

it("a CRM hears of edits whatever the score, and of no test response", () => {
  const template = Template.fromStack(new DetractorsToCrm(createApp(), "Test"));
  template.hasResourceProperties("AWS::Events::Rule", {
    EventPattern: {
      "detail-type": ["response.updated"],
      detail: { data: { summary: Match.exact({ test: [false] }) } },
    },
    Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue() })],
  });
  template.hasResourceProperties("AWS::Lambda::Function", {
    Environment: {
      Variables: Match.objectLike({ CRM: "hubspot", WITH_COMMENT: "false", REFERRER_IS_CUSTOMER: "false" }),
    },
  });
});

it("a forwarding stack may put events on the inbox, and nothing else", () => {
  const forwarder = new ForwardSurveys(createApp(), "Test", { inboxArn });
  const policies = Object.values(Template.fromStack(forwarder).findResources("AWS::IAM::Policy"));
  expect(policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
    { Action: "events:PutEvents", Effect: "Allow", Resource: inboxArn },
  ]);
});

it("the inbox of another account lets the poller's account put events, and nobody else", () => {
  const template = Template.fromStack(receiving(createApp()));
  template.resourceCountIs("AWS::Events::EventBusPolicy", 1);
  template.hasResourceProperties("AWS::Events::EventBusPolicy", {
    Statement: {
      Action: "events:PutEvents",
      Principal: { AWS: { "Fn::Join": ["", Match.arrayWith([":iam::111111111111:root"])] } },
    },
  });
});

it("comments go nowhere by default, and never into the log of executions", () => {
  const chat = Template.fromStack(new DetractorsToChat(createApp(), "Test"));
  chat.hasResourceProperties("AWS::Lambda::Function", {
    Environment: { Variables: { WITH_COMMENT: "false", LINK_TEMPLATE: "" } },
  });
  const tickets = Template.fromStack(new CommentFollowUp(createApp(), "Test", { patience: Duration.hours(5) }));
  tickets.hasResourceProperties("AWS::Lambda::Function", {
    Environment: { Variables: Match.objectLike({ WITH_COMMENTS: "false" }) },
  });
  const [machine] = Object.values(tickets.findResources("AWS::StepFunctions::StateMachine"));
  expect(machine?.Properties.LoggingConfiguration).toMatchObject({ IncludeExecutionData: false, Level: "ALL" });
  expect(JSON.stringify(machine)).toContain('\\"Seconds\\":18000');
  expect(JSON.stringify(tickets.findResources("AWS::IAM::Policy"))).not.toContain("s3:GetObject");
});

it("the warehouse has the day of each event in its path, and does not keep what has failed or was asked of it", () => {
  const template = Template.fromStack(new ResponsesToWarehouse(createApp(), "Test", { claimCheckBucketName }));
  template.hasResourceProperties("AWS::Glue::Table", {
    TableInput: { PartitionKeys: [{ Name: "day", Type: "string" }], Parameters: { "projection.enabled": "true" } },
  });
  expect(JSON.stringify(template.findResources("AWS::Glue::Table"))).toMatch(/events\/day=\$\{day\}/);
  const expiring = (Prefix: string, ExpirationInDays: number) => Match.objectLike({ Prefix, ExpirationInDays });
  template.hasResourceProperties("AWS::S3::Bucket", {
    LifecycleConfiguration: { Rules: [expiring("query-results/", 7), expiring("failed/", 30)] },
  });
  template.hasResourceProperties("AWS::KinesisFirehose::DeliveryStream", {
    ExtendedS3DestinationConfiguration: { ErrorOutputPrefix: Match.stringLikeRegexp("^failed/") },
  });
});

it("the check of the warehouse may only have events sent again, and write what queries find", () => {
  const resendFunctionArn = "arn:aws:lambda:eu-west-1:111111111111:function:Poll:resend";
  const template = Template.fromStack(
    new ResponsesToWarehouse(createApp(), "Test", { claimCheckBucketName, resendFunctionArn }),
  );
  const policies = Object.entries(template.findResources("AWS::IAM::Policy"));
  const [, policy] = policies.find(([id]) => id.startsWith("CheckServiceRole")) ?? [];
  const statements: { Action: string | string[]; Resource: unknown }[] = policy?.Properties.PolicyDocument.Statement;
  const invoked = statements.filter(({ Action }) => [Action].flat().some((action) => action.startsWith("lambda:")));
  expect(invoked).toEqual([{ Action: "lambda:InvokeFunction", Effect: "Allow", Resource: resendFunctionArn }]);
  const written = statements.filter(({ Action }) => [Action].flat().includes("s3:PutObject"));
  expect(JSON.stringify(written.map(({ Resource }) => Resource))).toMatch(
    /^\[{"Fn::Join":\["",\[{[^}]+},"\/query-results\/\*"\]\]}\]$/,
  );
});
