import type { PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { expect, test } from "vitest";
import { entry, errorName, startForTest } from "./support.ts";

const LIMIT = 1_048_576;

/** An entry of exactly that many bytes by AWS's rule. */
function entryOf(bytes: number, overrides: Partial<PutEventsRequestEntry> = {}): PutEventsRequestEntry {
  const base = { Source: "s", DetailType: "t", ...overrides };
  const rest = 2 + (base.Time === undefined ? 0 : 14) + (base.Resources ?? []).join("").length;
  return { ...base, Detail: `{"a":"${"x".repeat(bytes - rest - '{"a":""}'.length)}"}` };
}

test("an accepted event reaches the sink as the envelope that the bus delivers", async () => {
  const { eventbridge, events } = await startForTest();

  const { Entries, FailedEntryCount } = await eventbridge.putEvents({
    Entries: [
      entry({
        Detail: '{"data":{"surveyId":1}}',
        Time: new Date("2026-11-21T10:20:30.987Z"),
        Resources: ["arn:aws:x:::1"],
      }),
    ],
  });

  expect(FailedEntryCount).toBe(0);
  expect(events).toEqual([
    {
      version: "0",
      id: Entries?.[0]?.EventId,
      "detail-type": "response.completed",
      source: "survey-poller",
      account: "000000000000",
      time: "2026-11-21T10:20:30Z",
      region: "us-east-1",
      resources: ["arn:aws:x:::1"],
      detail: { data: { surveyId: 1 } },
    },
  ]);
  expect(Object.keys(events[0] ?? {}).join()).toBe(
    "version,id,detail-type,source,account,time,region,resources,detail",
  );
});

test("each bad entry fails by itself, at its own index", async () => {
  const { eventbridge, events } = await startForTest();

  const cases: [Partial<PutEventsRequestEntry>, string][] = [
    [{ Detail: '{"n":0}' }, "ok"],
    [{ Source: undefined }, "InvalidArgument"],
    [{ DetailType: "" }, "InvalidArgument"],
    [{ Detail: undefined }, "InvalidArgument"],
    ...["{", "[1]", '"text"'].map((Detail): [object, string] => [{ Detail }, "MalformedDetail"]),
    [{ Source: "aws.events" }, "NotAuthorizedForSourceException"],
    [{ Detail: '{"n":8}' }, "ok"],
  ];
  const sent = cases.map(([one]) => entry(one));
  const { Entries, FailedEntryCount } = await eventbridge.putEvents({ Entries: sent });

  expect(FailedEntryCount).toBe(7);
  const codes = Entries?.map(({ ErrorCode, EventId }) => ErrorCode ?? (EventId === undefined ? "nothing" : "ok"));
  expect(codes).toEqual(cases.map(([, code]) => code));
  expect(Entries?.[1]?.ErrorMessage).toContain("Source is a required argument");
  expect(events.map(({ detail }) => detail.n)).toEqual([0, 8]);
});

test("a request holds 1 to 10 entries", async () => {
  const { eventbridge, events } = await startForTest();
  const put = (count: number) => eventbridge.putEvents({ Entries: Array.from({ length: count }, () => entry()) });
  expect(await errorName(put(0))).toBe("ValidationException");
  expect(await errorName(put(11))).toBe("ValidationException");
  expect(await errorName(put(10))).toBe("no error");
  expect(events).toHaveLength(10);
});

test("the entries of a request may have 1 MB together, to the byte", async () => {
  const { eventbridge, events } = await startForTest();
  const put = (...Entries: PutEventsRequestEntry[]) => eventbridge.putEvents({ Entries });
  const extras = { Time: new Date(), Resources: ["arn:x"] };
  const half = entryOf(LIMIT / 2);

  expect(await errorName(put(entryOf(LIMIT)))).toBe("no error");
  expect(await errorName(put(entryOf(LIMIT + 1)))).toBe("ValidationException");
  expect(await errorName(put(entryOf(LIMIT, extras)))).toBe("no error");
  expect(await errorName(put(entryOf(LIMIT + 1, extras)))).toBe("ValidationException");
  expect(await errorName(put(half, half))).toBe("no error");
  expect(await errorName(put(half, entryOf(LIMIT / 2 + 1)))).toBe("ValidationException");
  expect(events).toHaveLength(4);
});

test("an event for a bus that does not exist is acknowledged and seen by nobody, as on AWS", async () => {
  const { eventbridge, events } = await startForTest();
  const { Entries, FailedEntryCount } = await eventbridge.putEvents({ Entries: [entry({ EventBusName: "nowhere" })] });
  expect(FailedEntryCount).toBe(0);
  expect(Entries?.[0]?.EventId).toBeDefined();
  expect(events).toEqual([]);
  expect(await errorName(eventbridge.describeEventBus({ Name: "nowhere" }))).toBe("ResourceNotFoundException");
});

test("PutEvents is answered after the sink has taken every event, one at a time", async () => {
  const order: string[] = [];
  let [running, most] = [0, 0];
  const { eventbridge } = await startForTest({
    async onEvent({ detail }) {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      order.push(`sink ${detail.n}`);
    },
  });
  const put = async (...numbers: number[]) => {
    const Entries = numbers.map((n) => entry({ Detail: `{"n":${n}}` }));
    await eventbridge.putEvents({ Entries });
    order.push(`answer ${numbers.join()}`);
  };

  await Promise.all([put(1, 2), put(3), put(4), put(5)]);

  expect(most).toBe(1);
  expect(order.indexOf("sink 2")).toBeGreaterThan(order.indexOf("sink 1"));
  expect(order.indexOf("answer 1,2")).toBeGreaterThan(order.indexOf("sink 2"));
  for (const n of [3, 4, 5]) expect(order.indexOf(`answer ${n}`)).toBeGreaterThan(order.indexOf(`sink ${n}`));
});

test("an event that the sink cannot take fails alone, as worth a retry", async () => {
  const taken: unknown[] = [];
  const { eventbridge } = await startForTest({
    onEvent({ detail }) {
      if (detail.n === 2) throw new Error("disk full");
      taken.push(detail.n);
    },
  });
  const { Entries, FailedEntryCount } = await eventbridge.putEvents({
    Entries: [1, 2, 3].map((n) => entry({ Detail: `{"n":${n}}` })),
  });
  expect(FailedEntryCount).toBe(1);
  expect(Entries?.[1]).toEqual({ ErrorCode: "InternalFailure", ErrorMessage: "disk full" });
  expect(taken).toEqual([1, 3]);
});
