import { describe, expect, it } from "vitest";
import { eventId } from "../../../../lib/events/index.ts";
import type { SealedEvent } from "../../../../lib/polling/ports.ts";
import type { MemoryWorld, PortCall } from "../../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  poll,
  polled,
  range,
  SECOND,
  takes,
  worldWith,
  worldWithNews,
} from "../../../support/survey.ts";

const complete = (count: number, size = 2) =>
  range(1, count).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size }));

/** The batches of responses' events that went to the bus. */
function batches(world: MemoryWorld): SealedEvent[][] {
  return world.calls.filter(isBatch).map(({ args }) => args[0] as SealedEvent[]);
}

function isBatch({ port, operation, args }: PortCall): boolean {
  return port === "publisher" && operation === "publish" && (args[0] as SealedEvent[])[0]?.type !== "books.closed";
}

/** Fails the ledger writes that follow a publish while it is on. */
function failLedgerAfterPublish(world: MemoryWorld): { on: boolean } {
  const fault = { on: true };
  world.before.push(({ operation, args }) => {
    const entries = operation === "putEntries" ? (args[1] as { state: string }[]) : [];
    if (fault.on && entries.some(({ state }) => state === "emitted")) throw new Error("the table is throttled");
  });
  return fault;
}

// R18
describe("events", () => {
  it("go out oldest first, ten a batch, one for each response with its stable id", async () => {
    const dates = [5, 3, 9, 1, 7, 11, 2, 8, 4, 10, 6, 12];
    const world = await worldWithNews(
      dates.map((minute, i) => ({ responseId: i + 1, completed: at(minute * MINUTE) })),
    );

    await poll(world);

    const byDate = dates.map((minute, i) => ({ minute, id: i + 1 })).sort((a, b) => a.minute - b.minute);
    expect(deliveredIds(world)).toEqual(byDate.map(({ id }) => id));
    expect(batches(world).map((batch) => batch.length)).toEqual([10, 2]);
    expect(world.delivered.map(({ meta }) => meta.eventId)).toEqual(byDate.map(({ id }) => eventId("main", 1, id)));
  });

  it("make batches of at most 900 KB, and one larger than that goes alone", async () => {
    const world = worldWith(
      [200_000, 300_000, 350_000, 950_000, 10].map((bytes, i) => ({
        responseId: i + 1,
        completed: at(i),
        size: 1,
        fields: { comment: "x".repeat(bytes) },
      })),
    );

    await poll(world);

    expect(batches(world).map((batch) => batch.length)).toEqual([3, 1, 1]);
    expect(deliveredIds(world)).toEqual([1, 2, 3, 4, 5]);
  });

  it("are in the ledger before the poll ends, with what a later look needs, and nothing personal", async () => {
    const world = worldWith([{ responseId: 7, completed: at(0), size: 3, fields: { comment: "private" } }]);

    await poll(world);

    const entry = world.entry(1, 7);
    expect(entry).toMatchObject({ state: "emitted", count: 3, eventId: eventId("main", 1, 7), revision: 1 });
    expect(JSON.stringify(entry)).not.toContain("private");
    expect(world.mark(1).highWater).toEqual({ responseId: 7, completed: at(0) });
  });

  it("say in the ledger when the bus took them", async () => {
    const world = worldWith(complete(12));
    const taken: number[] = [];
    takes(world, 2 * SECOND, isBatch);
    world.after.push((call) => {
      if (isBatch(call)) taken.push(world.time.now);
    });

    await poll(world);

    expect(taken).toHaveLength(2);
    expect(range(1, 12).map((id) => world.entry(1, id)?.emittedAt)).toEqual([
      ...Array.from({ length: 10 }, () => taken[0]),
      ...Array.from({ length: 2 }, () => taken[1]),
    ]);
  });

  it("are never published again by later polls", async () => {
    const world = worldWith(complete(30));
    await poll(world);
    await poll(world);
    await poll(world);
    expect(deliveredIds(world)).toEqual(range(1, 30));
  });
});

describe("a bus that takes part of a batch", () => {
  it("gets the rest at the next poll, and nothing twice", async () => {
    const world = await worldWithNews(complete(5));
    world.bus.decide = ({ data }) =>
      data.responseId % 2 === 0 ? { kind: "failed", code: "ThrottlingException" } : undefined;
    await expect(poll(world)).rejects.toMatchObject({ code: "PUBLISH_FAILED", retryable: true });
    expect(deliveredIds(world)).toEqual([1, 3, 5]);
    expect(world.entry(1, 3)?.state).toBe("emitted");
    expect(world.entry(1, 2)).toMatchObject({ state: "waiting", reason: "bus:ThrottlingException" });

    world.bus.decide = () => undefined;
    await poll(world);
    expect(deliveredIds(world).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it("leaves the lease free for the next poll at once", async () => {
    const world = worldWith(complete(1));
    world.bus.decide = () => ({ kind: "failed", code: "InternalFailure" });
    await expect(poll(world)).rejects.toThrow();
    expect(await poll(world).catch(() => "failed")).toBe("failed");
  });
});

describe("an entry that the bus refuses for good", () => {
  const refuse = (world: MemoryWorld): void => {
    world.bus.decide = ({ data }) => (data.responseId === 2 ? { kind: "refused", code: "MalformedDetail" } : undefined);
  };

  it("is refused for good, and kept with its records and the bus's reason; the others go out", async () => {
    const world = await worldWithNews(complete(3));
    refuse(world);

    const { counts } = await polled(world);

    expect(deliveredIds(world)).toEqual([1, 3]);
    expect(world.entry(1, 2)).toMatchObject({ state: "refused", reason: "MalformedDetail", count: 2 });
    expect(world.entry(1, 2)?.kept).toMatchObject({ records: [{ responseId: 2 }, { responseId: 2 }] });
    expect(counts).toMatchObject({ emitted: 2, refused: 1 });
  });

  it("is not sent again while its records are the same", async () => {
    const world = await worldWithNews(complete(3));
    refuse(world);
    await poll(world);
    const sent = batches(world).length;

    await poll(world);
    await poll(world);

    expect(batches(world)).toHaveLength(sent);
  });
});

// R18
describe("a ledger write that fails after a publish", () => {
  it("leaves the ids in the mark, and no event goes out before they are in the ledger", async () => {
    const world = await worldWithNews(complete(25));
    const fault = failLedgerAfterPublish(world);
    await expect(poll(world)).rejects.toThrow("throttled");
    expect(world.mark(1).pending?.map(({ id }) => id)).toEqual(range(1, 10));
    expect(deliveredIds(world)).toEqual(range(1, 10));

    await expect(poll(world)).rejects.toThrow("throttled");
    expect(deliveredIds(world)).toEqual(range(1, 10));
    expect(world.mark(1).pending).toHaveLength(10);

    fault.on = false;
    await poll(world);
    expect(deliveredIds(world)).toEqual(range(1, 25));
    expect(world.mark(1).pending).toBeUndefined();
    expect(range(1, 25).map((id) => world.entry(1, id)?.state)).toEqual(range(1, 25).map(() => "emitted"));
  });

  it("keeps them also when the mark can only be written on the way out", async () => {
    const world = worldWith(complete(2));
    const fault = failLedgerAfterPublish(world);
    world.before.push(({ operation }) => {
      if (fault.on && operation === "saveState") throw new Error("the table is throttled");
    });
    await expect(poll(world)).rejects.toThrow("throttled");

    fault.on = false;
    await poll(world);

    expect(deliveredIds(world)).toEqual([1, 2]);
  });
});

describe("events that the bus does not take now", () => {
  const failFor = (world: MemoryWorld, isFailing: (responseId: number) => boolean): void => {
    world.bus.decide = ({ data }) =>
      isFailing(data.responseId) ? { kind: "failed", code: "InternalFailure" } : undefined;
  };

  it("do not keep the batches after theirs back, and are all that is published again", async () => {
    const world = await worldWithNews(complete(35));
    failFor(world, (id) => id <= 10 || id === 15);
    await expect(poll(world)).rejects.toMatchObject({ code: "PUBLISH_FAILED" });
    expect(deliveredIds(world)).toEqual(range(11, 35).filter((id) => id !== 15));
    expect(range(1, 35).filter((id) => world.entry(1, id)?.state !== "emitted")).toEqual([...range(1, 10), 15]);

    failFor(world, () => false);
    await poll(world);
    expect(deliveredIds(world).slice(24)).toEqual([...range(1, 10), 15]);
  });

  it("two batches of them in a row are the bus's fault: no more of them are sent to it", async () => {
    const world = await worldWithNews(complete(40));
    failFor(world, () => true);
    await expect(poll(world)).rejects.toMatchObject({ code: "PUBLISH_FAILED" });
    expect(batches(world)).toHaveLength(2);
  });
});

it("tells how late the oldest event of a batch is when the zone is known", async () => {
  const world = worldWith([{ responseId: 1, completed: at(-HOUR) }]);
  await poll(world, { source: { timeZone: "UTC" } });
  arrive(world, { responseId: 2, completed: at(0) });
  await poll(world);

  expect(world.progress.filter(({ kind }) => kind === "emitted")).toMatchObject([
    { count: 1, origin: "backlog", lag: HOUR },
    { count: 1, origin: "head", lag: undefined },
  ]);
});
