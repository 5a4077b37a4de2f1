import assert from "node:assert/strict";
import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { commandOf } from "../operated.ts";
import { type DeployedExample, deployExample, type ExampleStage, exampleOutput, untilAfterTicks } from "./stage.ts";

const NAME = "idempotent-lambda";

interface Letter {
  eventId: string;
  surveyId: number;
  responseId: number;
}

/** Letters that have gone out for this survey. */
function lettersOf({ stage: { aws }, surveyId }: ExampleStage, example: DeployedExample): () => Promise<Letter[]> {
  const QueueUrl = exampleOutput(example, "LettersUrl");
  const letters: Letter[] = [];
  return async () => {
    for (;;) {
      const { Messages = [] } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
      if (Messages.length === 0) return letters.filter((letter) => letter.surveyId === surveyId);
      for (const { Body = "", ReceiptHandle } of Messages) {
        letters.push(JSON.parse(Body) as Letter);
        await aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  };
}

export async function idempotentLambda(on: ExampleStage): Promise<void> {
  const { report, stage, surveyId, everything } = on;
  const { simulator, aws } = stage;
  const example = await report.step(`${NAME}: deployed by its README`, () => deployExample(on, NAME));
  const letters = lettersOf(on, example);
  const send = exampleOutput(example, "FunctionName");
  const log = (): Promise<string[]> => aws.logs(exampleOutput(example, "LogGroupName"));

  await report.step(`${NAME}: a letter for each response`, async (note) => {
    simulator.complete(surveyId, 12);
    const truth = simulator.truth(surveyId).map(({ responseId }) => responseId);
    await untilAfterTicks(on, "letters are missing", async () => (await letters()).length >= truth.length);
    assert.deepEqual((await letters()).map(({ responseId }) => responseId).sort(), truth.sort());
    note(`${truth.length} letters`);
  });
  await report.step(`${NAME}: events that come again send no letter`, async (note) => {
    await everything.drain();
    const events = everything.events.filter(
      ({ detail }) => (detail.data as { surveyId: number }).surveyId === surveyId,
    );
    const before = (await letters()).length;
    assert.equal(events.length, before);
    for (const event of events) {
      const { failed, payload } = await aws.invoke(send, { ...event, id: "another delivery" });
      assert.equal(failed, false, JSON.stringify(payload));
    }
    assert.equal((await letters()).length, before);
    note(`${events.length} events were delivered twice`);
  });
  await report.step(`${NAME}: by the books of the survey it has every event`, async (note) => {
    simulator.complete(surveyId);
    await untilAfterTicks(on, "the books say nothing", async () =>
      (await log()).some((line) => line.includes(`Survey ${surveyId} of main`) && line.includes(": complete")),
    );
    note(
      (await log())
        .filter((line) => line.includes(`Survey ${surveyId} of main`))
        .at(-1)
        ?.trim() ?? "",
    );
  });
  await report.step(`${NAME}: survey-poller verify reads the receipts`, async () => {
    const args = [
      "verify",
      "--survey",
      String(surveyId),
      "--dynamodb",
      `${exampleOutput(example, "ReceiptsTable")}:eventId`,
    ];
    await commandOf(stage)(args);
  });
  await report.step(`${NAME}: destroyed; what it remembers is kept`, async () => {
    await example.destroy();
    assert.ok((await aws.items(exampleOutput(example, "DoneTable"))).length > 0);
  });
}
