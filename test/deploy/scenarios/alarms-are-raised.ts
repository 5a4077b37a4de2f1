import assert from "node:assert/strict";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { GetQueueAttributesCommand, PurgeQueueCommand } from "@aws-sdk/client-sqs";
import { type AlarmWatch, watchAlarms } from "../support/alarm-watch.ts";
import { faultsLeft, setFaults } from "../support/faults.ts";
import { until } from "../support/until.ts";
import { allArrived } from "./settled.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

const NO_TICK = "SampleCount of CredentialsProblem";
export const CREDENTIALS = "Minimum of CredentialsProblem";
export const LAG = "p50 of DetectionLag";
const STALLED = "Maximum of Stalled";
const WITHHELD = "Sum of Withheld";
const DELIVERY_STALLED = "Maximum of DeliveryStalled";
export const THROTTLED = "Sum of Throttled";
/** Seconds. */
const DAY = 86_400;

/** Each alarm by its own expression, over what real faults make the deployment write; and no other one than that. */
export async function alarmsAreRaised(
  stage: Stage,
  deployment: Deployment,
  subscribers: Subscribers,
): Promise<AlarmWatch> {
  const { report, aws, emulator, simulator } = stage;
  const tick = () => aws.invoke(output(deployment, "PollFunctionName"));
  const QueueUrl = output(deployment, "DeadLetterQueueUrl");
  const deadLetters = QueueUrl.split("/").at(-1) ?? "";

  report.part("Alarms");
  const watch = await report.step(
    "the alarms that are deployed are quiet after a day without trouble",
    async (note) => {
      const found = await watchAlarms(aws, emulator);
      const ofQueues = found.names.filter((name) => !name.includes(" of "));
      const ofSource = [NO_TICK, CREDENTIALS, LAG, STALLED, WITHHELD, THROTTLED, DELIVERY_STALLED];
      assert.deepEqual([...found.names], [...ofQueues, ...ofSource].sort());
      assert.equal(ofQueues.length, 2, "the poller's own dead letters, and the webhook's");
      assert.ok(ofQueues.includes(deadLetters), deadLetters);
      for (const name of found.names) assert.match(found.alarm(name).AlarmActions.join(), /^arn:aws:sns:.*AlarmTopic/);
      await found.pass(DAY);
      await found.until([], tick, NO_TICK);
      note(found.names.join(", "));
      return found;
    },
  );

  await report.step("no successful tick: the service answers 500 to each", async (note) => {
    const end = simulator.fault({ kind: "status", status: 500, operation: "surveys" });
    const periods = await watch.until([NO_TICK], async () => assert.equal((await tick()).failed, true));
    end();
    note(
      `after ${periods} periods of ${watch.alarm(NO_TICK).Period} s; over after ${await over(watch, NO_TICK, tick)}`,
    );
  });
  await report.step("credentials: the service rejects them", async (note) => {
    const { clientId, clientSecret } = simulator;
    const fill = (value: object) =>
      aws.secrets.send(
        new PutSecretValueCommand({
          SecretId: output(deployment, "CredentialsSecretName"),
          SecretString: JSON.stringify(value),
        }),
      );
    await fill({ clientId, clientSecret: "another" });
    simulator.revokeToken();
    const periods = await watch.until([CREDENTIALS], async () => {
      assert.match(JSON.stringify(await tick()), /"blocked":.*WRONG_CREDENTIALS/);
    });
    await fill({ clientId, clientSecret });
    // For ten seconds after a refusal nothing is asked.
    await until("the credentials do not work", async () => !JSON.stringify(await tick()).includes('"blocked"'));
    note(`after ${periods} periods; over after ${await over(watch, CREDENTIALS, tick)}`);
  });
  await report.step("stalled: a survey fails, and the metric says for how long", async (note) => {
    const end = simulator.fault({ kind: "status", status: 403, surveyId: 1 });
    const began = Date.now();
    simulator.complete(1);
    const values: number[] = [];
    for (const _ of ["fails", "still", "and on"]) {
      await watch.pass(watch.alarm(STALLED).Period);
      assert.match(JSON.stringify(await tick()), /"outcome":"failed"/);
      values.push((await watch.value(STALLED)) ?? -1);
    }
    const [first = -1, second = -1, third = -1] = values;
    assert.ok(0 <= first && first < second && second < third && third <= Date.now() - began, values.join());
    assert.deepEqual(await watch.raised(), []);
    end();
    await watch.pass(watch.alarm(STALLED).Period);
    await allArrived(stage, deployment, subscribers, { within: 20_000 });
    assert.equal(await watch.value(STALLED), 0);
    note(`${values.join(", ")}, then 0 ms; half an hour, which raises it, is not waited for`);
  });
  await report.step("withheld: a response that nobody can read", async (note) => {
    simulator.set({ irregular: { probability: 1, kinds: ["completedMaybe"] } });
    const [unreadable = 0] = simulator.complete(1);
    simulator.set({ irregular: { probability: 0 } });
    await watch.until([WITHHELD], tick);
    assert.equal(await watch.value(WITHHELD), 1);
    // It is in no one's way, but has no event, which everything after this would wait for.
    simulator.remove(1, unreadable);
    await watch.pass(DAY - watch.alarm(WITHHELD).Period);
    await tick();
    assert.deepEqual(await watch.raised(), [WITHHELD]);
    note(`for a day; over ${await over(watch, WITHHELD, tick)} periods later`);
  });
  await report.step("dead letters: a tick is cut off", async (note) => {
    await setFaults(emulator, [{ operation: "Query", kind: "kill" }]);
    await aws.start(output(deployment, "PollFunctionName"), { source: "main", scheduled: true });
    const isDead = async (): Promise<boolean> => {
      const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] });
      return (await aws.sqs.send(asked)).Attributes?.ApproximateNumberOfMessages === "1";
    };
    await until("the tick that was killed is not in the queue", isDead);
    assert.deepEqual(await faultsLeft(emulator), []);
    const periods = await watch.until([deadLetters], tick);
    await aws.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    note(`after ${periods} periods; over after ${await over(watch, deadLetters, tick)}, once the queue is empty`);
  });
  return watch;
}

/** Lets ticks go well until nothing is in alarm any more. */
export function over(watch: AlarmWatch, name: string, tick: () => Promise<unknown>): Promise<number> {
  return watch.until([], tick, name);
}
