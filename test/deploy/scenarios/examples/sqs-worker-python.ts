import assert from "node:assert/strict";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { hostPython } from "../../../examples/support/python-worker.ts";
import { output } from "../stage.ts";
import { deployExample, type ExampleStage, exampleOutput, untilAfterTicks } from "./stage.ts";

const NAME = "sqs-worker-python";
/** More than the poller leaves in an event. */
const LARGE = 300_000;

interface Finding {
  response: string;
  revision: number;
  answers: number;
  words: number;
}

export async function sqsWorkerPython(on: ExampleStage): Promise<void> {
  const { report, stage, deployment, surveyId } = on;
  const { simulator, aws } = stage;
  const claimCheck = output(deployment, "ClaimCheckBucketName");
  // The emulator runs functions on the processor and the Python of this machine.
  const { pythonVersion, architecture } = hostPython();
  const example = await report.step(`${NAME}: deployed by its README, for the Python of this machine`, () =>
    deployExample(on, NAME, {
      replace: [["<ClaimCheckBucketName>", claimCheck]],
      more: `-c pythonVersion=${pythonVersion} -c architecture=${architecture}`,
    }),
  );
  const table = exampleOutput(example, "FindingsTable");
  const prefix = `main#${surveyId}#`;
  const findings = async (): Promise<Finding[]> =>
    ((await aws.items(table)) as unknown as Finding[]).filter(({ response }) => response.startsWith(prefix));
  /** By response: how many answers it has, and how many words are in their comments. */
  const found = async (): Promise<string[]> =>
    (await findings()).map(({ response, answers, words }) => `${response} ${answers} ${words}`).sort();
  const truth = (): string[] =>
    simulator
      .truth(surveyId)
      .map(({ responseId, records }) => {
        const words = records.flatMap(({ comment }) => String(comment).split(/\s+/)).filter((word) => word !== "");
        return `${prefix}${responseId} ${records.length} ${words.length}`;
      })
      .sort();
  const isRight = async (): Promise<boolean> => JSON.stringify(await found()) === JSON.stringify(truth());

  const [first = 0] = simulator.complete(surveyId, 12);
  await report.step(`${NAME}: each response is worked off, a large one with its answers`, async (note) => {
    simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    await untilAfterTicks(on, "responses are missing", isRight);
    note(`${truth().length} responses`);
  });
  await report.step(`${NAME}: an update replaces what was found`, async () => {
    const { length = 0 } = simulator.truthOf(surveyId, first)?.records ?? [];
    simulator.edit(surveyId, first, { records: length + 2 });
    // The poller reads the page again as there is news on it.
    simulator.complete(surveyId);
    await untilAfterTicks(on, "the old answers are kept", isRight);
  });
  await report.step(`${NAME}: a message that cannot be read does not hold up the others`, async () => {
    const QueueUrl = exampleOutput(example, "QueueUrl");
    await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "no event at all" }));
    simulator.complete(surveyId, 3);
    await untilAfterTicks(on, "the others are held up", isRight);
  });
  await report.step(`${NAME}: destroyed; what it found is kept`, async () => {
    await example.destroy();
    assert.ok((await findings()).length > 0);
  });
}
