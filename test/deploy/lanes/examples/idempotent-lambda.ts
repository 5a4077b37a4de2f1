import assert from "node:assert/strict";
import { survey } from "../../support/command.ts";
import { deployExample, type ExampleStage } from "../../support/examples.ts";
import { output } from "../../support/stage.ts";
import { completed, tick, untilAfterTicks, untilArrived } from "../../support/ticks.ts";

export async function idempotentLambda(on: ExampleStage): Promise<void> {
  const { report, simulator, aws, surveyId } = on;
  const example = await deployExample(on);
  /** Events by which letters have gone out for this survey. */
  const letters: string[] = [];
  const take = async (): Promise<number> => {
    for (const { Body = "" } of await aws.take(output(example, "LettersUrl"))) {
      const letter = JSON.parse(Body) as { eventId: string; surveyId: number };
      if (letter.surveyId === surveyId) letters.push(letter.eventId);
    }
    return letters.length;
  };
  const ids = () => completed(on, surveyId).map(({ detail }) => detail.meta.eventId);

  await report.step("a letter for each response", async (note) => {
    simulator.complete(surveyId, 12);
    await untilArrived(on);
    const events = completed(on, surveyId);
    await untilAfterTicks(on, "letters are missing", async () => (await take()) >= events.length);
    assert.deepEqual(letters.sort(), ids().sort());
    note(`${letters.length} letters`);
  });
  await report.step("by the books of the survey it has every event", async () => {
    simulator.complete(surveyId);
    await tick(on);
    await survey(on, `audit --now --survey ${surveyId} --yes`);
    await untilAfterTicks(on, "the books say nothing", async () => {
      const lines = await aws.logs(output(example, "LogGroupName"));
      return lines.some((line) => line.includes(`Survey ${surveyId} of main`) && line.includes(": complete"));
    });
  });
  await report.step("survey-poller verify reads the receipts", () =>
    survey(on, `verify --survey ${surveyId} --dynamodb ${output(example, "ReceiptsTable")}:eventId`),
  );
  await report.step("destroyed; what it remembers is kept", async () => {
    await example.destroy();
    assert.ok((await aws.items(output(example, "DoneTable"))).length > 0);
  });
}
