import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { PurgeQueueCommand } from "@aws-sdk/client-sqs";
import { type AlarmWatch, watchAlarms } from "../support/alarms.ts";
import { type Deployed, deploy, fillCredentials, type Given, onStage, output } from "../support/stage.ts";
import { tick, untilArrived } from "../support/ticks.ts";
import { until } from "../support/until.ts";
import { webhookFails } from "./webhook-fails.ts";

const NO_TICK = "SampleCount of CredentialsProblem";
const CREDENTIALS = "Minimum of CredentialsProblem";
const LAG = "p50 of DetectionLag";
const STALLED = "Maximum of Stalled";
const WITHHELD = "Sum of Withheld";
const THROTTLED = "Sum of Throttled";
const OF_SOURCE = [NO_TICK, CREDENTIALS, LAG, STALLED, WITHHELD, THROTTLED, "Maximum of DeliveryStalled"];
/** Seconds: ticks end at once for as long as more than 20 of them are left. */
const PAUSE = 30;

/** Something that goes wrong, and the alarm that it raises: that one and no other. */
interface Trouble {
  what: string;
  alarm: string;
  begin(): unknown;
  /** What shows it. Default: a tick. */
  during?(): Promise<unknown>;
  end(): unknown;
}

/** A deployment for what a person is told of: each alarm by its own metric and threshold, over what real faults make the poller write. */
export function alarms(given: Given): Promise<void> {
  return onStage(given, "alarms", async (stage) => {
    const on = await deploy(stage);
    await fillCredentials(on);
    await on.report.step("the history goes out", () => untilArrived(on));
    on.report.part("Alarms");
    const watch = await quiet(on);
    for (const { what, alarm, begin, during = () => tick(on), end } of troublesOf(on)) {
      await on.report.step(what, async () => {
        await begin();
        await watch.until(alarm, during);
        await end();
        await watch.until(undefined, () => tick(on), alarm);
      });
    }
    await stalled(on, watch);
    await withheld(on, watch);
    await webhookFails(on, watch);
    await late(on, watch);
    await throttled(on, watch);
  });
}

function quiet(on: Deployed): Promise<AlarmWatch> {
  return on.report.step("the alarms that are deployed are quiet without trouble", async (note) => {
    const watch = await watchAlarms(on.aws);
    const ofQueues = watch.names.filter((name) => !name.includes(" of "));
    assert.deepEqual([...watch.names], [...ofQueues, ...OF_SOURCE].sort());
    assert.equal(ofQueues.length, 2, "the poller's own dead letters, and the webhook's");
    for (const name of watch.names) assert.match(watch.alarm(name).AlarmActions.join(), /^arn:aws:sns:.*AlarmTopic/);
    await watch.until(undefined, () => tick(on), NO_TICK);
    note(watch.names.join(", "));
    return watch;
  });
}

function troublesOf(on: Deployed): Trouble[] {
  const { aws, simulator, emulator } = on;
  const ends: (() => void)[] = [];
  const QueueUrl = output(on, "DeadLetterQueueUrl");
  return [
    {
      what: "no successful tick: the service answers 500 to each",
      alarm: NO_TICK,
      begin: () => ends.push(simulator.fault({ kind: "status", status: 500, operation: "surveys" })),
      during: async () => assert.match(await tick(on), /"failed":true/),
      end: () => ends.pop()?.(),
    },
    {
      what: "credentials: the service rejects them",
      alarm: CREDENTIALS,
      async begin() {
        const { clientId } = simulator;
        await aws.fillSecret(output(on, "CredentialsSecretName"), { clientId, clientSecret: "another" });
        simulator.revokeToken();
      },
      during: async () => assert.match(await tick(on), /"blocked":.*WRONG_CREDENTIALS/),
      async end() {
        await fillCredentials(on);
        // For ten seconds after a refusal nothing is asked.
        await until("the credentials do not work", async () => !(await tick(on)).includes('"blocked"'));
      },
    },
    {
      what: "dead letters: a scheduled tick is cut off",
      alarm: QueueUrl.split("/").at(-1) ?? "",
      async begin() {
        simulator.fault({ kind: "latency", ms: 10_000, operation: "surveys", count: 1 });
        await aws.start(output(on, "PollFunctionName"), { source: "main", scheduled: true });
        await until("it is not at work", async () => (await emulator.kill()) === 1);
        await until("it is not in the queue", async () => (await aws.waiting(QueueUrl)) === 1);
      },
      end: () => aws.sqs.send(new PurgeQueueCommand({ QueueUrl })),
    },
  ];
}

async function stalled(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { simulator } = on;
  await on.report.step("stalled: a survey fails, and the metric says for how long", async (note) => {
    const end = simulator.fault({ kind: "status", status: 403, surveyId: 1 });
    const began = Date.now();
    simulator.complete(1);
    const values: number[] = [];
    for (const _ of ["fails", "still", "and on"]) {
      const failing = async () => assert.match(await tick(on), /"outcome":"failed"/);
      values.push((await watch.valueOf(STALLED, failing)) ?? -1);
    }
    const [first = -1, second = -1, third = -1] = values;
    assert.ok(0 <= first && first < second && second < third && third <= Date.now() - began, values.join());
    assert.deepEqual(await watch.raised(), []);
    end();
    await untilArrived(on);
    assert.equal(await watch.valueOf(STALLED, () => tick(on)), 0);
    note(`${values.join(", ")}, then 0 ms; half an hour, which raises it, is not waited for`);
  });
}

async function withheld(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { simulator } = on;
  await on.report.step("withheld: a response that nobody can read", async () => {
    const unreadable: number[] = [];
    await watch.until(WITHHELD, () => {
      unreadable.push(...simulator.complete(1, 1, { patch: { completed: "maybe" } }));
      return tick(on);
    });
    // They are in no one's way, but have no event, which everything after this would wait for.
    for (const responseId of unreadable) simulator.remove(1, responseId);
    await watch.until(undefined, () => tick(on), WITHHELD);
  });
}

async function late(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { aws, simulator } = on;
  await on.report.step("lag: the service lists responses late", async (note) => {
    const items = await aws.items(output(on, "TableName"));
    // What completed before the first tick is history, and not late.
    const firstTick = Number(items.find(({ sk }) => sk === "ACCOUNT")?.firstTick);
    const completedAt = firstTick + 1000;
    const { Threshold } = watch.alarm(LAG);
    // What is late enough needs a deployment that is older than that.
    await pause(Math.max(0, completedAt + Threshold + 1000 - Date.now()));
    const value = await watch.valueOf(LAG, () => {
      simulator.complete(3, 1, { completedAt });
      return untilArrived(on);
    });
    assert.deepEqual(await watch.raised(), [LAG]);
    // The service's dates have no fractions of a second.
    assert.ok(value !== undefined && value > Threshold && value < Date.now() - completedAt + 1000, `${value}`);
    await watch.until(undefined, () => tick(on), LAG);
    note(`${value} ms`);
  });
}

/** The last that is asked of a deployment: until the pause is over it polls nothing, which nobody waits for here. */
async function throttled(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { simulator } = on;
  await on.report.step("throttled: 429, and to be left alone for longer than a tick", async () => {
    simulator.fault({ kind: "status", status: 429, retryAfter: PAUSE, operation: "surveys", count: 1 });
    await tick(on);
    const { requests } = simulator.counters();
    await watch.until(THROTTLED, () => tick(on));
    assert.equal(simulator.counters().requests, requests, "the service is not left alone");
  });
}
