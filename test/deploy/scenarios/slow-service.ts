import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { AlarmWatch } from "../support/alarm-watch.ts";
import { LAG, over, THROTTLED } from "./alarms-are-raised.ts";
import { allArrived } from "./settled.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

/** Seconds: ticks end at once for as long as more than 20 of them are left. */
const PAUSE = 30;

/** A service that lists late, and one that wants to be left alone. */
export async function serviceIsSlow(
  stage: Stage,
  deployment: Deployment,
  subscribers: Subscribers,
  watch: AlarmWatch,
): Promise<void> {
  const { report, aws, simulator } = stage;
  const tick = () => aws.invoke(output(deployment, "PollFunctionName"));
  await report.step("lag: the service lists responses late", async (note) => {
    const completedAt = (await firstTick(stage, deployment)) + 1000;
    const { Threshold } = watch.alarm(LAG);
    // What is late enough needs a deployment that is older than that.
    const waited = Math.max(0, completedAt + Threshold + 1000 - Date.now());
    await pause(waited);
    let value = 0;
    const periods = await watch.until([LAG], async () => {
      simulator.complete(3, 1, { completedAt });
      await allArrived(stage, deployment, subscribers, { within: 20_000 });
      value = (await watch.value(LAG)) ?? 0;
    });
    // The service's dates have no fractions of a second.
    assert.ok(value > Threshold && value < Date.now() - completedAt + 1000, `${value}`);
    note(`waited ${waited} ms; ${value} ms, after ${periods} periods; over after ${await over(watch, LAG, tick)}`);
  });
  // The last that is asked of a deployment: until the pause is over it polls nothing, which nobody waits for here.
  await report.step("throttled: 429, and to be left alone for longer than a tick", async (note) => {
    simulator.fault({ kind: "status", status: 429, retryAfter: PAUSE, operation: "surveys", count: 1 });
    const requests = () => simulator.counters().requests ?? 0;
    await tick();
    const asked = requests();
    const periods = await watch.until([THROTTLED], tick);
    assert.equal(requests(), asked, "the service is not left alone");
    note(`after ${periods} periods; until the service's pause is over it stays`);
  });
}

/** Epoch milliseconds: what completed before it is history, and not late. */
async function firstTick({ aws }: Stage, deployment: Deployment): Promise<number> {
  const items = await aws.items(output(deployment, "TableName"));
  const found = items.find(({ sk }) => sk === "ACCOUNT")?.firstTick;
  assert.ok(typeof found === "number", JSON.stringify(found));
  return found;
}
