import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { Simulator } from "../../../local/simulator/index.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import { compareWithTruth } from "../../wire/support/compare-with-truth.ts";
import type { Aws } from "../support/aws.ts";
import type { Report } from "../support/report.ts";
import { type Deployment, output } from "./stage.ts";

/** Milliseconds: a minute of the schedule, the emulator's own rhythm of ten seconds, and the tick. */
const A_MINUTE_OR_SO = 90_000;
const RESPONSES = 3;

export interface FirstEvents {
  report: Report;
  aws: Aws;
  simulator: Simulator;
  surveyId: number;
  deployment: Deployment;
  /** What the README's command shows. */
  seen: () => Promise<string>;
}

/** What completes is found by the schedule: after the first tick, which says where "now" is, nobody starts another. */
export async function firstEvents(given: FirstEvents): Promise<void> {
  const { report, aws, simulator, surveyId, deployment, seen } = given;
  const { QueueUrl } = await aws.sqs.send(new GetQueueUrlCommand({ QueueName: "first-events" }));
  const messages = async (): Promise<number> => {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] });
    return Number((await aws.sqs.send(asked)).Attributes?.ApproximateNumberOfMessages);
  };
  const completed = await report.step("   the first tick emits nothing of the history", async () => {
    const { failed, payload } = await aws.invoke(output(deployment, "PollFunctionName"));
    assert.equal(failed, false, JSON.stringify(payload));
    assert.equal(await messages(), 0);
    return new Set(simulator.complete(surveyId, RESPONSES));
  });
  await report.step("   the schedule finds what is new by itself", async () => {
    for (const end = Date.now() + A_MINUTE_OR_SO; (await messages()) < RESPONSES; await pause(500)) {
      assert.ok(Date.now() < end, `${await messages()} events of ${RESPONSES}`);
    }
  });
  await report.step("   the events are received, as they should be", async (note) => {
    const { Messages: shown = [] } = JSON.parse(await seen()) as { Messages?: { Body: string }[] };
    assert.equal(shown.length, 1);
    const { Messages: rest = [] } = await aws.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    const events = [...shown, ...rest].map(({ Body = "" }) => JSON.parse(Body) as DeliveredEvent);
    const truth = simulator.truth().filter(({ responseId }) => completed.has(responseId));
    assert.deepEqual(compareWithTruth(events, truth, { instants: false, repeats: 0 }), []);
    const items = await aws.items(output(deployment, "TableName"));
    const entered = items.filter(({ state }) => state === "emitted").map(({ eventId }) => eventId);
    assert.deepEqual(entered.sort(), events.map(({ detail }) => detail.meta.eventId).sort());
    note(events.map(({ detail }) => `response ${detail.data.responseId}`).join(", "));
  });
}
