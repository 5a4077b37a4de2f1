import { describe, test } from "vitest";
import type { Fault } from "../support/aws/faults.ts";
import { expectOutage } from "./support/expect-outage.ts";
import { startGate } from "./support/gate.ts";

/** Down from the request on that follows so many; what the command itself asks, to make the table, goes on. */
const down = (service: Fault["service"], operation: string, after = 0): Fault => ({
  service,
  operation,
  kind: "down",
  after,
});

describe("the survey service", () => {
  test("cannot be reached for several ticks", async () => {
    await expectOutage({
      async begin({ simulator }) {
        const gate = await startGate(simulator.url);
        let reads = 0;
        simulator.onPageRead(() => {
          reads += 1;
          if (reads === 8) gate.shut();
        });
        return { url: gate.url, end: gate.open };
      },
      says: /tick failed: get survey list: .*cannot be reached \(ECONNREFUSED\)/,
    });
  });
});

describe("DynamoDB", () => {
  test("goes down in the middle of a tick: what was published just then may come once more", async () => {
    await expectOutage({
      // Entries in the ledger fail first, so that the marks have to hold what was published; then these fail too.
      faults: [down("dynamodb", "BatchWriteItem", 4), down("dynamodb", "UpdateItem", 22)],
      failures: 6,
      says: /(?:tick failed|survey \d): DynamoDB could not be used \(ECONNRESET\)/,
      // Four publishes in flight for each of three surveys.
      repeats: 3 * 4 * 10,
    });
  });
});

test("EventBridge is down for several ticks: each response waits in the list, and none is repeated", async () => {
  await expectOutage({
    faults: [down("eventbridge", "PutEvents", 3)],
    says: /survey \d: the event bus did not take every event \(request:ECONNRESET\) \(PUBLISH_FAILED\)/,
  });
});

test("S3 is down for several ticks: what is too large for an event waits for it", async () => {
  await expectOutage({
    async begin({ simulator }) {
      simulator.complete(2, 3, { records: 60, commentBytes: 4_000 });
      return {};
    },
    faults: [down("s3", "PutObject")],
    says: /survey 2: S3 could not be used \(ECONNRESET\) \(S3_FAILED\)/,
  });
});

describe("Secrets Manager", () => {
  test("goes down while the token in use ends: no other can be had until it is back", async () => {
    await expectOutage({
      async begin({ simulator }) {
        let reads = 0;
        simulator.onPageRead(() => {
          reads += 1;
          if (reads === 8) simulator.revokeToken();
        });
        return {};
      },
      faults: [down("secretsmanager", "GetSecretValue", 6)],
      says: /(?:tick failed|survey \d): Secrets Manager could not be used \(ECONNRESET\)/,
    });
  });
});
