import { describe, expect, it } from "vitest";
import { SqsWorkerPython, type SqsWorkerPythonProps } from "../../examples/sqs-worker-python/stack.ts";
import { type Synthesized, synthesizeExample, UNBUNDLED } from "./support/template.ts";

function synthesized(props: SqsWorkerPythonProps = {}): Synthesized {
  const all = { claimCheckBucketName: "claim-checks", ...props };
  return synthesizeExample((app) => new SqsWorkerPython(app, "Test", all), UNBUNDLED);
}

describe("the stack of the worker in Python", { timeout: 60_000 }, () => {
  it("queues completed and updated responses, tries each five times, and keeps what failed", () => {
    const { template, findings } = synthesized();
    template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { source: ["survey-poller"], "detail-type": ["response.completed", "response.updated"] },
    });
    template.hasResourceProperties("AWS::SQS::Queue", { RedrivePolicy: { maxReceiveCount: 5 } });
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    // Nobody knows the names of objects with answers before.
    expect(findings).toEqual([
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::claim-checks/answers/*]",
      // The packages do not name the newest Python among those that they are made for.
      "AwsSolutions-L1",
    ]);
  });

  it("gives a message back to the queue no sooner than the function is done with it", () => {
    const { template } = synthesized();
    template.hasResourceProperties("AWS::Lambda::Function", { Timeout: 60 });
    template.hasResourceProperties("AWS::SQS::Queue", { VisibilityTimeout: 360 });
  });

  it.each<[string, string, SqsWorkerPythonProps]>([
    ["python3.14", "arm64", {}],
    ["python3.12", "x86_64", { pythonVersion: "3.12", architecture: "x86_64" }],
  ])("runs on %s and %s, by default or as it is told", (Runtime, architecture, props) => {
    synthesized(props).template.hasResourceProperties("AWS::Lambda::Function", {
      Runtime,
      Architectures: [architecture],
    });
  });

  it("says what is missing where the bucket with large answers is not named", () => {
    const make = () => synthesizeExample((app) => new SqsWorkerPython(app, "Test", {}), UNBUNDLED);
    expect(make).toThrow("claimCheckBucketName: is needed to read answers");
  });
});
