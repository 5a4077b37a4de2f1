import assert from "node:assert/strict";
import { hostPython } from "../../../examples/support/python-worker.ts";
import { deployExample, type ExampleStage, LARGE } from "../../support/examples.ts";
import { output } from "../../support/stage.ts";
import { untilAfterTicks } from "../../support/ticks.ts";

export async function sqsWorkerPython(on: ExampleStage): Promise<void> {
  const { report, simulator, aws, surveyId } = on;
  // The emulator runs functions on the processor and the Python of this machine.
  const { pythonVersion, architecture } = hostPython();
  const example = await deployExample(on, {
    replace: { "<ClaimCheckBucketName>": output(on, "ClaimCheckBucketName") },
    more: `-c pythonVersion=${pythonVersion} -c architecture=${architecture}`,
  });
  const prefix = `main#${surveyId}#`;
  /** By response: how many answers it has, and how many words are in their comments. */
  const found = async (): Promise<string[]> =>
    (await aws.items(output(example, "FindingsTable")))
      .map(({ response, answers, words }) => `${response} ${answers} ${words}`)
      .filter((finding) => finding.startsWith(prefix))
      .sort();
  const isRight = async (): Promise<boolean> => {
    const truth = simulator.truth(surveyId).map(({ responseId, records }) => {
      const words = records.flatMap(({ comment }) => String(comment).split(/\s+/)).filter((word) => word !== "");
      return `${prefix}${responseId} ${records.length} ${words.length}`;
    });
    return JSON.stringify(await found()) === JSON.stringify(truth.sort());
  };

  simulator.complete(surveyId, 12);
  await report.step("each response is worked off, a large one with its answers", async () => {
    simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    await untilAfterTicks(on, "responses are missing", isRight);
  });
  await report.step("destroyed; what it found is kept", async () => {
    await example.destroy();
    assert.ok((await found()).length > 0);
  });
}
