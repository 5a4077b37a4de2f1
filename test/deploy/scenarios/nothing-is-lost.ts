import assert from "node:assert/strict";
import { type Fault, faultsLeft, setFaults } from "../support/faults.ts";
import { addBacklog, allArrived, booksAreRight, eventsAreRight } from "./settled.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

interface Trouble {
  name: string;
  faults: readonly Fault[];
  /** What happens at the service, for the poller to find under these faults. */
  news: (stage: Stage) => void;
}

const manyNew = ({ simulator }: Stage): void => void simulator.complete(2, 45);

const troubles: readonly Trouble[] = [
  {
    name: "EventBridge takes batches in part, throttles and loses answers",
    faults: [
      { operation: "PutEvents", kind: "partial", count: 2 },
      { operation: "PutEvents", kind: "throttle", count: 2 },
      { operation: "PutEvents", kind: "lose-answer", count: 1 },
    ],
    news: manyNew,
  },
  {
    name: "DynamoDB throttles, takes batches in part and loses answers",
    faults: [
      { operation: "BatchWriteItem", kind: "partial", count: 2 },
      { operation: "BatchWriteItem", kind: "throttle", count: 2 },
      { operation: "BatchWriteItem", kind: "lose-answer" },
      { operation: "UpdateItem", kind: "throttle", count: 3 },
      { operation: "UpdateItem", kind: "lose-answer", count: 2 },
      { operation: "Query", kind: "throttle", count: 2 },
    ],
    news: manyNew,
  },
  {
    name: "a tick is killed after its events went out, before they were entered",
    faults: [{ operation: "PutEvents", kind: "kill", skip: 1 }],
    news: manyNew,
  },
  {
    // The process that was killed knew token and credentials: the next one has to read both, and the token is no longer good.
    name: "Secrets Manager throttles while the token is renewed",
    faults: [
      { operation: "GetSecretValue", kind: "throttle", count: 3 },
      { operation: "PutSecretValue", kind: "throttle", count: 2 },
    ],
    news: (stage) => {
      stage.simulator.revokeToken();
      manyNew(stage);
    },
  },
  {
    name: "the function is killed in the middle of a backlog, twice",
    faults: [
      { operation: "PutEvents", kind: "kill", skip: 8 },
      { operation: "PutEvents", kind: "kill", skip: 8 },
    ],
    news: (stage) => addBacklog(stage, 5),
  },
];

/** Faults of each service that is leant upon, and deaths at the worst moments: nothing lost, and repeats are the same event. */
export async function nothingIsLost(stage: Stage, deployment: Deployment, subscribers: Subscribers): Promise<void> {
  const { report, emulator } = stage;
  report.part("Faults");
  for (const { name, faults, news } of troubles) {
    await report.step(name, async (note) => {
      await setFaults(emulator, faults);
      news(stage);
      await allArrived(stage, deployment, subscribers, { within: 90_000 });
      assert.deepEqual(await faultsLeft(emulator), []);
      await setFaults(emulator, []);
      note(await eventsAreRight(stage, subscribers, 400));
    });
  }
  await report.step("a quiet tick later the books agree with the truth", async () => {
    await stage.aws.invoke(output(deployment, "PollFunctionName"));
    await booksAreRight(stage, output(deployment, "TableName"), subscribers);
  });
}
