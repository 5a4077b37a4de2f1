import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, it, onTestFinished } from "vitest";
import type { PollInput } from "../../lib/run/poll-input.ts";
import { createDynamoState } from "../../lib/state/dynamo-state.ts";
import { type EventEnvelope, startEmbeddedAws } from "../../local/aws/index.ts";
import { loadFunction } from "../../local/runner/load-function.ts";
import { names } from "../../local/runner/provision.ts";
import { runConfiguration } from "../../local/runner/run-configuration.ts";
import { startSimulator } from "../../local/simulator/index.ts";
import { temporaryFolder } from "../support/command.ts";

/** The bundled function over an embedded AWS, invoked as by hand; and the state and the bus as it leaves them. */
async function deployed() {
  const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 3 }] });
  onTestFinished(() => simulator.close());
  const dataDir = temporaryFolder();
  const events: EventEnvelope[] = [];
  const aws = await startEmbeddedAws({
    dataDir,
    onEvent: (event) => void (event["detail-type"] === "response.completed" && events.push(event)),
  });
  onTestFinished(() => aws.close());
  Object.assign(process.env, aws.env);
  const line = { baseUrl: simulator.url, startFrom: "beginning", data: dataDir, interval: 0 };
  const configuration = runConfiguration({ ...line } as Parameters<typeof runConfiguration>[0]);
  const invoke = await loadFunction(configuration, { dataDir, aws: aws.env }, () => simulator);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  onTestFinished(() => client.destroy());
  const { signal } = new AbortController();
  return {
    state: createDynamoState({ client, name: names.table }, "main"),
    events,
    invoke: (input: object) => invoke(input as PollInput, signal),
  };
}

it("a response that the bus refused goes out after a redrive by an operation of the function", async () => {
  const { state, events, invoke } = await deployed();
  await invoke({});
  expect(events).toHaveLength(3);
  const kept = {
    records: [{ responseId: 999_999, completed: 1, dateCompleted: "2026-03-10 12:00:00", questionId: 1, answer: [2] }],
    details: { metrics: [{ "31": { metricId: 31 } }], metadata: [{ ip: "203.0.113.77" }] },
  };
  await state.putEntries(7, [{ id: 999_999, state: "refused", reason: "MalformedDetail", digest: "d", kept }]);

  const answer = await invoke({ source: "main", operation: { kind: "redrive", surveyIds: [7] } });

  const left = { unreadable: 0, withoutRecords: 0, beforeFloor: 0, failed: 0 };
  expect(answer).toEqual({ result: { surveys: [{ surveyId: 7, outcome: "done", putBack: 1, left }] } });
  await invoke({ source: "main" });
  expect(events).toHaveLength(4);
  expect(events[3]?.detail).toMatchObject({
    meta: { origin: "replay", complete: true },
    data: { responseId: 999_999, answers: [{ questionId: 1, answer: [2] }] },
  });
  expect((await state.entries(7, [999_999])).get(999_999)?.state).toBe("emitted");

  expect(await invoke({ source: "main", operation: { kind: "redrive", surveyIds: ["7"] } })).toMatchObject({
    error: {
      code: "BAD_INPUT",
      message: "Bad input: operation.surveyIds[0]: must be a list of survey ids, whole numbers above 0.",
    },
  });
});
