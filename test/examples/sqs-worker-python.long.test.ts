import { globSync } from "node:fs";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SqsWorkerPython, type SqsWorkerPythonProps } from "../../examples/sqs-worker-python/stack.ts";
import { assembleWorker } from "../../examples/sqs-worker-python/worker-code.ts";
import { temporaryFolder } from "../infra/support/temporary-folder.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { type Contents, completed, type Delivered, golden, updated } from "./support/events.ts";
import { type PythonWorker, startPythonWorker, writeModels } from "./support/python-worker.ts";

/** Milliseconds; the packages come from the network. */
const INSTALLING = 180_000;

let aws: ExampleAws;
let worker: PythonWorker;

beforeAll(async () => {
  aws = await startExampleAws();
  await aws.table("done", "id");
  await aws.table("findings", "response");
  worker = await startPythonWorker({ ...aws.env, DONE_TABLE: "done", FINDINGS_TABLE: "findings" });
}, INSTALLING);

afterAll(async () => {
  await worker.close();
  await aws.close();
}, INSTALLING);

const SURVEY = 103;

/** An event of a response that no other test uses. */
const commented = (responseId: number): Delivered => completed(SURVEY, responseId, undefined, "comment");

function withAnswers<T extends Contents>(event: T, answers: unknown[], ref: unknown): T {
  Object.assign(event.detail.data, { answers, answersRef: ref });
  return event;
}

async function findingOf(responseId: number): Promise<Record<string, unknown> | undefined> {
  const items = await aws.items("findings");
  return items.find(({ response }) => response === `main#${SURVEY}#${responseId}`);
}

function wordsOf(answers: readonly { comment: string }[]): number {
  return answers.flatMap(({ comment }) => comment.split(/\s+/).filter((word) => word !== "")).length;
}

const failed = (...events: unknown[]): Promise<string[]> => worker.handle(events.map((event) => JSON.stringify(event)));

describe("the worker", () => {
  it("keeps what it finds for each response of a batch", async () => {
    expect(await failed(commented(1), commented(2))).toEqual([]);

    const { answers, summary } = golden("comment").detail.data;
    expect(wordsOf(answers)).toBeGreaterThan(1);
    for (const responseId of [1, 2]) {
      expect(await findingOf(responseId)).toEqual({
        response: `main#${SURVEY}#${responseId}`,
        revision: 1,
        eventId: commented(responseId).detail.meta.eventId,
        score: summary.nps?.score ?? null,
        answers: answers.length,
        words: wordsOf(answers),
      });
    }
  });

  it("does the work once for each event: the same event with other answers changes nothing", async () => {
    await failed(commented(3));
    const before = await findingOf(3);

    expect(await failed(withAnswers(commented(3), [], null))).toEqual([]);

    expect(await findingOf(3)).toEqual(before);
  });

  it("gives back a message alone that it cannot read, and logs the field but nothing that stands in it", async () => {
    const bad = commented(5);
    Object.assign(bad.detail.data, { surveyId: "a secret of the respondent" });

    expect(await failed(commented(4), bad, "no event at all")).toEqual(["1", "2"]);

    expect(await findingOf(4)).toBeDefined();
    expect(worker.log()).toContain("detail.data.surveyId");
    expect(worker.log()).not.toContain("a secret of the respondent");
  });

  it("gives back all messages where none could be read, without an error that repeats them", async () => {
    expect(await failed("a comment")).toEqual(["0"]);
    expect(worker.log()).not.toContain("a comment");
  });

  it("takes a later revision instead, and passes over an earlier one that comes after it", async () => {
    await failed(withAnswers(updated(SURVEY, 6, undefined, 3), [], null));
    const { answers } = golden("comment").detail.data;
    await failed(withAnswers(updated(SURVEY, 6), answers, null), commented(6));

    expect(await findingOf(6)).toMatchObject({ revision: 3, answers: 0 });
  });

  it("reads the answers of a large event from the bucket, and works it off later while they cannot be read", async () => {
    const { data } = golden("large").detail;
    const { bucket, key } = data.answersRef ?? { bucket: "", key: "" };
    const large = withAnswers(commented(7), [], data.answersRef);
    expect(await failed(large)).toEqual(["0"]);
    const { answers } = golden("comment").detail.data;
    await aws.object(bucket, key, JSON.stringify([...answers, ...answers]));

    expect(await failed(large)).toEqual([]);

    expect(await findingOf(7)).toMatchObject({ answers: 2 * answers.length, words: 2 * wordsOf(answers) });
  });

  it("takes an event of a later version with fields that it does not know", async () => {
    expect(await failed(golden("unknown-future-field"))).toEqual([]);
  });
});

it("what is deployed has the native code for the processor and the Python of Lambda, whatever this machine has", () => {
  const folder = temporaryFolder();
  assembleWorker(folder, Runtime.PYTHON_3_14, Architecture.ARM_64, writeModels(folder));
  expect(globSync("**/*.so", { cwd: folder })).toEqual([
    "pydantic_core/_pydantic_core.cpython-314-aarch64-linux-gnu.so",
  ]);
  const own = ["handler.py", "survey_poller_events.py", "work.py"];
  expect(globSync("*.py", { cwd: folder })).toEqual(expect.arrayContaining(own));
});

it.each<[string, string, SqsWorkerPythonProps]>([
  ["python3.14", "arm64", {}],
  ["python3.12", "x86_64", { pythonVersion: "3.12", architecture: "x86_64" }],
])("it runs on %s and %s, by default or as it is told", (Runtime, architecture, props) => {
  const app = new App({ context: { "aws:cdk:bundling-stacks": [] } });
  const stack = new SqsWorkerPython(app, "Test", { claimCheckBucketName: "answers", ...props });
  const wanted = { Runtime, Architectures: [architecture] };
  Template.fromStack(stack).hasResourceProperties("AWS::Lambda::Function", wanted);
});
