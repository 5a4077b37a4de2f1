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
/** Seconds. */
const DAY = 86_400;
/** Seconds: ticks end at once for as long as more than 20 of them are left. */
const PAUSE = 30;

/** Something that goes wrong, and the alarm that it raises: that one and no other. */
interface Trouble {
  what: string;
  alarm: string;
  begin(): unknown;
  /** One period of it. Default: a tick. */
  during?(): Promise<unknown>;
  end(): unknown;
}

/** A deployment for what a person is told of: each alarm by its own expression, over what real faults make the poller write. */
export function alarms(given: Given): Promise<void> {
  return onStage(given, "alarms", async (stage) => {
    const on = await deploy(stage);
    await fillCredentials(on);
    await on.report.step("the history goes out", () => untilArrived(on));
    on.report.part("Alarms");
    const watch = await quiet(on);
    for (const { what, alarm, begin, during = () => tick(on), end } of troublesOf(on)) {
      await on.report.step(what, async (note) => {
        await begin();
        const periods = await watch.until([alarm], during);
        await end();
        note(`raised after ${periods} periods, over after ${await watch.until([], () => tick(on), alarm)}`);
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
  return on.report.step("the alarms that are deployed are quiet after a day without trouble", async (note) => {
    const watch = await watchAlarms(on.aws, on.emulator);
    const ofQueues = watch.names.filter((name) => !name.includes(" of "));
    assert.deepEqual([...watch.names], [...ofQueues, ...OF_SOURCE].sort());
    assert.equal(ofQueues.length, 2, "the poller's own dead letters, and the webhook's");
    for (const name of watch.names) assert.match(watch.alarm(name).AlarmActions.join(), /^arn:aws:sns:.*AlarmTopic/);
    await watch.pass(DAY);
    await watch.until([], () => tick(on), NO_TICK);
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
        await until("it is not at work", async () => (await emulator.control("kill")) === 1);
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
      await watch.pass(watch.alarm(STALLED).Period);
      assert.match(await tick(on), /"outcome":"failed"/);
      values.push((await watch.value(STALLED)) ?? -1);
    }
    const [first = -1, second = -1, third = -1] = values;
    assert.ok(0 <= first && first < second && second < third && third <= Date.now() - began, values.join());
    assert.deepEqual(await watch.raised(), []);
    end();
    await watch.pass(watch.alarm(STALLED).Period);
    await untilArrived(on);
    assert.equal(await watch.value(STALLED), 0);
    note(`${values.join(", ")}, then 0 ms; half an hour, which raises it, is not waited for`);
  });
}

async function withheld(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { simulator } = on;
  await on.report.step("withheld: a response that nobody can read, for a day", async (note) => {
    const [unreadable = 0] = simulator.complete(1, 1, { patch: { completed: "maybe" } });
    await watch.until([WITHHELD], () => tick(on));
    assert.equal(await watch.value(WITHHELD), 1);
    // It is in no one's way, but has no event, which everything after this would wait for.
    simulator.remove(1, unreadable);
    await watch.pass(DAY - watch.alarm(WITHHELD).Period);
    await tick(on);
    assert.deepEqual(await watch.raised(), [WITHHELD]);
    note(`over ${await watch.until([], () => tick(on), WITHHELD)} periods later`);
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
    let value = 0;
    const periods = await watch.until([LAG], async () => {
      simulator.complete(3, 1, { completedAt });
      await untilArrived(on);
      value = (await watch.value(LAG)) ?? 0;
    });
    // The service's dates have no fractions of a second.
    assert.ok(value > Threshold && value < Date.now() - completedAt + 1000, `${value}`);
    note(`${value} ms, after ${periods} periods; over after ${await watch.until([], () => tick(on), LAG)}`);
  });
}

/** The last that is asked of a deployment: until the pause is over it polls nothing, which nobody waits for here. */
async function throttled(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { simulator } = on;
  await on.report.step("throttled: 429, and to be left alone for longer than a tick", async (note) => {
    simulator.fault({ kind: "status", status: 429, retryAfter: PAUSE, operation: "surveys", count: 1 });
    await tick(on);
    const { requests } = simulator.counters();
    const periods = await watch.until([THROTTLED], () => tick(on));
    assert.equal(simulator.counters().requests, requests, "the service is not left alone");
    note(`after ${periods} periods; until the service's pause is over it stays`);
  });
}
