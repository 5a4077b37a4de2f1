import type { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { describe, expect, it } from "vitest";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { LeaseLostError, type Publisher, type SealedEvent } from "../../../lib/polling/index.ts";
import { createEventBridgePublisher } from "../../../lib/publisher/event-bridge.ts";
import { useAws } from "../support/aws.ts";
import { detail, free, published, publisherTo, seal } from "./support/events.ts";

const test = useAws();
const publisher = () => publisherTo(test);

const ten = (): ResponseCompleted[] => Array.from({ length: 10 }, (_, i) => detail(i + 1));

function idsOnTheBus(): string[] {
  return test.events.map((event) => (event.detail as ResponseCompleted).meta.eventId);
}

const idOf = (responseId: number): string => detail(responseId).meta.eventId;

describe("an event on the bus", () => {
  it("has the source, the detail type, the time of its detection, and the detail as it was built", async () => {
    const to = publisher();
    expect(await to.publish(await seal(to, detail(1)), free)).toEqual([published]);
    expect(test.events).toMatchObject([
      {
        source: "survey-poller",
        "detail-type": "response.completed",
        time: "2026-03-10T12:00:00Z",
        detail: JSON.parse(JSON.stringify(detail(1))) as unknown,
      },
    ]);
  });

  it("counts as many bytes as the service counts", async () => {
    const to = publisher();
    const [sealed] = await seal(to, detail(1, "żółć"));
    const json = JSON.stringify(detail(1, "żółć"));
    expect(sealed?.bytes).toBe(14 + Buffer.byteLength(json) + "survey-poller".length + "response.completed".length);
  });

  it("goes ten at a time with one request", async () => {
    const to = publisher();
    const before = test.aws.counters()["eventbridge:PutEvents"] ?? 0;
    expect(await to.publish(await seal(to, ...ten()), free)).toEqual(Array.from({ length: 10 }, () => published));
    expect(test.aws.counters()["eventbridge:PutEvents"]).toBe(before + 1);
  });
});

describe("a bus that fails for a moment", () => {
  it("in part is given what is left, and each event is there once, with its own outcome", async () => {
    const to = publisher();
    const fault = test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "partial", times: 3 });

    const outcomes = await to.publish(await seal(to, ...ten()), free);

    expect(fault.hits()).toBe(3);
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => published));
    expect(idsOnTheBus().sort()).toEqual(
      ten()
        .map(({ meta }) => meta.eventId)
        .sort(),
    );
  });

  it.each(["throttle", "error", "down"] as const)("with %s is asked again, later each time", async (kind) => {
    const to = publisher();
    test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind, times: 2 });

    expect(await to.publish(await seal(to, detail(1)), free)).toEqual([published]);

    expect(to.slept).toHaveLength(2);
    expect(to.slept[1]).toBeGreaterThan(to.slept[0] ?? 0);
    expect(idsOnTheBus()).toEqual([idOf(1)]);
  });

  it("by losing its answer gets the events twice, with the same ids", async () => {
    const to = publisher();
    test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "lose-answer", times: 1 });

    expect(await to.publish(await seal(to, detail(1), detail(2)), free)).toEqual([published, published]);

    expect(idsOnTheBus()).toEqual([idOf(1), idOf(2), idOf(1), idOf(2)]);
  });
});

describe("a bus that keeps failing", () => {
  it("is given up after five requests: the events have failed, and are told so", async () => {
    const to = publisher();
    const fault = test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "throttle" });

    const outcomes = await to.publish(await seal(to, detail(1), detail(2)), free);

    expect(outcomes.map(({ kind }) => kind)).toEqual(["failed", "failed"]);
    expect(JSON.stringify(outcomes)).toContain("ThrottlingException");
    expect(fault.hits()).toBe(5);
  });

  it("in part is told event by event: published ones never count as failed, nor the other way round", async () => {
    const to = publisher();
    test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "partial" });

    const outcomes = await to.publish(await seal(to, ...ten()), free);

    const told = outcomes.flatMap(({ kind }, i) => (kind === "published" ? [idOf(i + 1)] : []));
    expect(idsOnTheBus().sort()).toEqual(told.sort());
    expect(outcomes.some(({ kind }) => kind === "failed")).toBe(true);
  });
});

// The bus of these services denies whatever claims to come from AWS.
it("a bus whose policy denies an event leaves it waiting: the policy may be mended", async () => {
  const to = publisherTo(test, { eventSource: "aws.events" });
  const code = "NotAuthorizedForSourceException";
  expect(await to.publish(await seal(to, detail(1)), free)).toEqual([{ kind: "failed", code }]);
});

describe("an entry that is itself at fault", () => {
  it("is refused, and not sent again; the others are published", async () => {
    const to = publisher();
    const [first, last] = await seal(to, detail(1), detail(3));
    if (first === undefined || last === undefined) throw new Error("not sealed");
    const broken: SealedEvent = { ...first, json: "{" };

    const outcomes = await to.publish([first, broken, last], free);

    expect(outcomes.map(({ kind }) => kind)).toEqual(["published", "refused", "published"]);
    expect(idsOnTheBus()).toEqual([idOf(1), idOf(3)]);
  });

  it("because it is too large for the bus even without its answers is refused, and does not fail for ever", async () => {
    const to = publisher();
    const [large] = await seal(to, detail(1, "", "x".repeat(1_100_000)));
    if (large === undefined) throw new Error("not sealed");

    expect(await to.publish([large], free)).toMatchObject([{ kind: "refused" }]);
  });
});

describe("the guard", () => {
  it("is asked before each request, and stops the first one by throwing: nothing is sent", async () => {
    const to = publisher();
    const before = test.aws.counters()["eventbridge:PutEvents"] ?? 0;
    const lost = async (): Promise<void> => {
      throw new LeaseLostError("lost");
    };
    await expect(to.publish(await seal(to, detail(1)), lost)).rejects.toMatchObject({ code: "LEASE_LOST" });
    expect(test.aws.counters()["eventbridge:PutEvents"] ?? 0).toBe(before);
  });

  /** A client whose bus refuses each request of several entries as a whole, as by one that it cannot read. */
  function refusing(onRequest: (entries: number) => void): Publisher {
    const send = async ({ input }: { input: { Entries: unknown[] } }) => {
      onRequest(input.Entries.length);
      if (input.Entries.length > 1) throw Object.assign(new Error(), { name: "ValidationException" });
      return { Entries: [{ EventId: "x" }] };
    };
    return createEventBridgePublisher({
      client: { send } as unknown as EventBridgeClient,
      bus: "bus",
      eventSource: "survey-poller",
      bucket: "bucket",
      putObject: free,
      inlineLimit: 200_000,
      sleep: free,
    });
  }

  it("is asked as well before each event that is sent alone, as their request was refused", async () => {
    const calls: (number | "guard")[] = [];
    const to = refusing((entries) => calls.push(entries));
    const guard = async (): Promise<void> => void calls.push("guard");
    const events = await seal(to, ...ten());
    expect(await to.publish(events, guard)).toEqual(events.map(() => published));
    expect(calls).toEqual(["guard", 10, ...events.flatMap(() => ["guard", 1])]);
  });

  it("that stops these leaves those before told, and is not asked again", async () => {
    let guards = 0;
    let requests = 0;
    const to = refusing(() => {
      requests += 1;
    });
    const guard = async (): Promise<void> => {
      guards += 1;
      if (guards > 4) throw new LeaseLostError("lost");
    };
    const outcomes = await to.publish(await seal(to, ...ten()), guard);
    const failed = { kind: "failed", code: "LEASE_LOST" };
    expect(outcomes).toEqual([published, published, published, ...Array.from({ length: 7 }, () => failed)]);
    expect({ guards, requests }).toEqual({ guards: 5, requests: 4 });
  });

  it("that stops a later one leaves what was published told, and the rest failed", async () => {
    const to = publisher();
    test.aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "partial", times: 1 });
    let asked = 0;
    const guard = async (): Promise<void> => {
      asked += 1;
      if (asked > 1) throw new LeaseLostError("lost");
    };

    const outcomes = await to.publish(await seal(to, ...ten()), guard);

    const told = outcomes.flatMap(({ kind }, i) => (kind === "published" ? [idOf(i + 1)] : []));
    expect(idsOnTheBus().sort()).toEqual(told.sort());
    expect(outcomes).toContainEqual({ kind: "failed", code: "LEASE_LOST" });
    expect(asked).toBe(2);
  });
});
