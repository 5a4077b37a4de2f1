import { describe, test } from "vitest";
import type { Service } from "../../lib/local/aws/index.ts";
import type { Fault, FaultKind } from "../support/aws/faults.ts";
import type { PolledService } from "./support/polled-service.ts";
import { expectNothingLost } from "./support/troubled-history.ts";

/** What the poller itself asks of the table: making it is not under test here. */
const TABLE = ["Query", "GetItem", "UpdateItem", "PutItem", "BatchGetItem", "BatchWriteItem"];

/** The same fault for each of these operations, from the start. */
const on = (service: Service, operations: string[], fault: { kind: FaultKind } & Partial<Fault>): Fault[] =>
  operations.map((operation) => ({ service, operation, ...fault }));

describe("DynamoDB", () => {
  test("that throttles for longer than the SDK asks makes a survey wait for the next tick", async () => {
    await expectNothingLost({
      faults: on("dynamodb", ["BatchGetItem"], { kind: "throttle", after: 3, times: 16 }),
      says: /^survey \d: DynamoDB could not be used \(ProvisionedThroughputExceededException\) \(DYNAMODB_FAILED\);/m,
    });
  });

  test("that does what is asked while its answers get lost: conditional writes find themselves done", async () => {
    await expectNothingLost({
      faults: on("dynamodb", TABLE, { kind: "lose-answer", probability: 0.4, times: 25 }),
    });
  });

  test("that cannot enter what was published: the mark holds it", async () => {
    // So many that the attempts of several writes at once are used up.
    await expectNothingLost({
      faults: on("dynamodb", ["BatchWriteItem"], { kind: "down", after: 2, times: 45 }),
      repeats: 0,
      says: /DynamoDB could not be used \(ECONNRESET\)/,
    });
  });
});

describe("EventBridge", () => {
  const bus = (fault: { kind: FaultKind } & Partial<Fault>): Fault[] => on("eventbridge", ["PutEvents"], fault);

  test("that refuses whole requests gets them again, at the next tick if need be", async () => {
    await expectNothingLost({
      faults: [...bus({ kind: "throttle", times: 40 }), ...bus({ kind: "error", times: 30 })],
      says: /^survey \d: the event bus did not take every event .*PUBLISH_FAILED/m,
    });
  });

  test("whose answer comes too late is taken to have lost it", async () => {
    await expectNothingLost({ faults: bus({ kind: "delay", delayMs: 4_700, after: 3, times: 1 }) });
  });
});

describe("S3", () => {
  const large = { records: 60, commentBytes: 4_000 };

  /** Some too large for an event, and one that has to wait until the last run, with records too large for the table: alone in its survey. */
  function prepare({ simulator }: PolledService): void {
    simulator.complete(2, 3, large);
    simulator.addSurvey({ surveyId: 4 });
    simulator.complete(4, 1, large);
    simulator.fault({ kind: "status", status: 500, operation: "metrics", surveyId: 4 });
  }

  test("that fails for longer than the SDK asks makes a survey wait for the next tick", async () => {
    await expectNothingLost({
      prepare,
      faults: [
        // The SDK asks five times for each of four objects. Nobody waits for the definitions of surveys.
        ...on("s3", ["PutObject"], { kind: "error", path: "^/[^/]+/(?!questions/)", times: 20 }),
        ...on("s3", ["PutObject"], { kind: "lose-answer", probability: 0.5, times: 2 }),
      ],
      laterFaults: on("s3", ["GetObject"], { kind: "down", times: 6 }),
      // Which of the two faults an attempt met last depends on what else is being put at the time.
      says: /^survey \d: S3 could not be used \((InternalError|ECONNRESET)\) \(S3_FAILED\);/m,
    });
  });
});

describe("Secrets Manager", () => {
  /** The token kept is refused from then on, and another has to be had and kept. */
  function revokeTwice({ simulator }: PolledService): void {
    let reads = 0;
    simulator.onPageRead(() => {
      reads += 1;
      if (reads === 3 || reads === 12) simulator.revokeToken();
    });
  }

  test("that throttles, fails and loses answers while tokens are read and kept", async () => {
    // The first of each is the command's own, when it puts the credentials there.
    await expectNothingLost({
      prepare: revokeTwice,
      faults: [
        {
          service: "secretsmanager",
          operation: "GetSecretValue",
          kind: "throttle",
          after: 1,
          probability: 0.5,
          times: 4,
        },
        { service: "secretsmanager", operation: "GetSecretValue", kind: "error", after: 1, times: 14 },
        { service: "secretsmanager", operation: "PutSecretValue", kind: "lose-answer", after: 1, times: 2 },
        { service: "secretsmanager", operation: "PutSecretValue", kind: "error", after: 1, times: 7 },
      ],
      says: /Secrets Manager could not be used/,
    });
  });
});

test("all of it at once, and a service that fails as well", async () => {
  const now = { probability: 0.15, times: 12 };
  await expectNothingLost({
    prepare({ simulator }) {
      simulator.complete(2, 3, { records: 60, commentBytes: 4_000 });
      simulator.fault({ kind: "status", status: 500, probability: 0.04 });
      simulator.fault({ kind: "reset", probability: 0.03 });
      simulator.fault({ kind: "truncate", probability: 0.03 });
    },
    faults: [
      ...on("dynamodb", TABLE, { kind: "lose-answer", ...now }),
      ...on("dynamodb", ["BatchGetItem", "BatchWriteItem"], { kind: "partial", ...now }),
      ...on("dynamodb", ["UpdateItem", "BatchWriteItem"], { kind: "error", ...now, probability: 0.5 }),
      ...on("eventbridge", ["PutEvents"], { kind: "partial", ...now, probability: 0.4 }),
      ...on("eventbridge", ["PutEvents"], { kind: "lose-answer", ...now, probability: 0.3 }),
      ...on("s3", ["PutObject"], { kind: "error", ...now, probability: 0.5 }),
    ],
  });
});
