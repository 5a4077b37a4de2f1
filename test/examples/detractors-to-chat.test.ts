import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { readGolden } from "../../cli/package.ts";
import { messageOf } from "../../examples/detractors-to-chat/message.ts";
import { DetractorsToChat, type DetractorsToChatProps } from "../../examples/detractors-to-chat/stack.ts";
import type { ResponseCompleted } from "../../lib/events/index.ts";
import { synthesizeExample } from "./support/template.ts";

const synthesize = (props: DetractorsToChatProps) =>
  synthesizeExample((app) => new DetractorsToChat(app, "Test", props));

// The first synthesis loads the CDK and runs the bundler.
describe("the stack", { timeout: 120_000 }, () => {
  it("listens for detractors on the poller's bus, and keeps what was not told", () => {
    const { template, findings } = synthesize({ busName: "team-surveys" });
    template.hasResourceProperties("AWS::Events::Rule", {
      EventBusName: "team-surveys",
      EventPattern: {
        source: ["survey-poller"],
        "detail-type": ["response.completed"],
        detail: { data: { summary: { nps: { class: ["detractor"] } } } },
      },
      Targets: [Match.objectLike({ DeadLetterConfig: Match.anyValue() })],
    });
    template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      DestinationConfig: { OnFailure: Match.anyValue() },
      MaximumRetryAttempts: 2,
    });
    expect(environmentOf(template)).toEqual({ SECRET_NAME: "detractors-to-chat", WITH_COMMENT: "false" });
    // The queue is itself for dead letters.
    expect(findings).toEqual(["AwsSolutions-SQS3"]);
  });

  it("quotes comments only where it is asked to", () => {
    const { template } = synthesize({ withComment: true, secretName: "team/chat" });
    expect(environmentOf(template)).toEqual({ SECRET_NAME: "team/chat", WITH_COMMENT: "true" });
  });
});

function environmentOf(template: Template): unknown {
  return Object.values(template.findResources("AWS::Lambda::Function"))[0]?.Properties.Environment.Variables;
}

describe("the message", () => {
  const detractor = readGolden("detractor").detail as unknown as ResponseCompleted;

  it("names survey, score and ids, and no answer", () => {
    expect(messageOf(detractor, false)).toMatchInlineSnapshot(
      `"*Detractor* in After a visit: 2 of 10 (survey 103, response 46375)"`,
    );
  });

  it("quotes the first comment, with nothing that the chat would take for a mention", () => {
    const [answer] = detractor.data.answers;
    const comment = "<!channel> A & B\nsecond line";
    const said = {
      ...detractor,
      data: {
        ...detractor.data,
        answers: [
          { ...answer, comment: "" },
          { ...answer, comment },
        ],
      },
    };
    expect(messageOf(said as never, true)).toMatch(/\n>&lt;!channel&gt; A &amp; B\n>second line$/);
    expect(messageOf(said as never, false)).not.toContain("channel");
  });

  it("cuts a long comment", () => {
    const [answer] = detractor.data.answers;
    const said = { ...detractor, data: { ...detractor.data, answers: [{ ...answer, comment: "x".repeat(501) }] } };
    expect(messageOf(said as never, true)).toMatch(/>x{500}…$/);
  });

  it("says so of a test event", () => {
    expect(messageOf({ ...detractor, meta: { ...detractor.meta, test: true } }, false)).toMatch(
      /^\[test\] \*Detractor\*/,
    );
  });

  it("names a survey by its id where no list has shown it", () => {
    expect(messageOf({ ...detractor, data: { ...detractor.data, survey: null } }, false)).toMatch(/in Survey \d+:/);
  });
});
