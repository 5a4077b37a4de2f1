import { describe, expect, it } from "vitest";
import { eventId } from "../../../../lib/events/index.ts";
import type { SealedEvent } from "../../../../lib/polling/ports.ts";
import type { MemoryWorld, PortCall } from "../../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  type ResponseSpec,
  range,
  runTick,
  SECOND,
  takes,
  worldWith,
} from "../../../support/survey.ts";

const complete = (count: number): ResponseSpec[] =>
  range(1, count).map((responseId) => ({ responseId, completed: at(responseId * SECOND) }));

/** A world whose survey was empty at its first tick: these responses are news for its head. */
async function worldWithNews(responses: ResponseSpec[]): Promise<MemoryWorld> {
  const world = worldWith([]);
  await runTick(world);
  for (const response of responses) arrive(world, response);
  world.calls.length = 0;
  return world;
}

/** The batches of responses' events that went to the bus. */
function batches(world: MemoryWorld): SealedEvent[][] {
  return world.calls.filter(isBatch).map(({ args }) => args[0] as SealedEvent[]);
}

function isBatch({ port, operation, args }: PortCall): boolean {
  return port === "publisher" && operation === "publish" && (args[0] as SealedEvent[])[0]?.type !== "books.closed";
}

// R18
describe("events", () => {
  it("go out oldest first, ten a batch, one for each response with its stable id", async () => {
    const dates = [5, 3, 9, 1, 7, 11, 2, 8, 4, 10, 6, 12];
    const world = await worldWithNews(
      dates.map((minute, i) => ({ responseId: i + 1, completed: at(minute * MINUTE) })),
    );

    await runTick(world);

    const byDate = dates.map((minute, i) => ({ minute, id: i + 1 })).sort((a, b) => a.minute - b.minute);
    expect(deliveredIds(world)).toEqual(byDate.map(({ id }) => id));
    expect(batches(world).map((batch) => batch.length)).toEqual([10, 2]);
    expect(world.delivered.map(({ meta }) => meta.eventId)).toEqual(byDate.map(({ id }) => eventId("main", 1, id)));
  });

  it("make batches of at most 900 KB, and one larger than that goes alone", async () => {
    const sizes = [200_000, 300_000, 350_000, 950_000, 10];
    const responses = sizes.map((bytes, i) => ({ responseId: i + 1, completed: at(i), size: 1, bytes }));
    const world = worldWith(responses.map(({ bytes, ...one }) => ({ ...one, fields: { comment: "x".repeat(bytes) } })));
    await runTick(world);
    expect(batches(world).map((batch) => batch.length)).toEqual([3, 1, 1]);
    expect(deliveredIds(world)).toEqual([1, 2, 3, 4, 5]);
  });

  it("are in the ledger with when the bus took them and what a later look needs, and nothing personal", async () => {
    const world = worldWith([{ responseId: 7, completed: at(0), size: 3, fields: { comment: "private" } }]);
    let emittedAt = 0;
    takes(world, 2 * SECOND, isBatch);
    world.after.push((call) => {
      if (isBatch(call)) emittedAt = world.time.now;
    });
    await runTick(world);
    const entry = world.entry(1, 7);
    expect(entry).toMatchObject({ state: "emitted", count: 3, eventId: eventId("main", 1, 7), revision: 1, emittedAt });
    expect(JSON.stringify(entry)).not.toContain("private");
    expect(world.mark(1).highWater).toEqual({ responseId: 7, completed: at(0) });
  });
});

describe("events that the bus does not take now", () => {
  const failFor = (world: MemoryWorld, isFailing: (responseId: number) => boolean): void => {
    world.bus.decide = ({ data }) =>
      isFailing(data.responseId) ? { kind: "failed", code: "InternalFailure" } : undefined;
  };
  const failed = { surveys: [{ failure: { code: "PUBLISH_FAILED" } }] };

  it("do not keep the batches after theirs back, and are all that is published again", async () => {
    const world = await worldWithNews(complete(35));
    failFor(world, (id) => id <= 10 || id === 15);
    expect(await runTick(world)).toMatchObject(failed);
    expect(deliveredIds(world)).toEqual(range(11, 35).filter((id) => id !== 15));
    expect(range(1, 35).filter((id) => world.entry(1, id)?.state !== "emitted")).toEqual([...range(1, 10), 15]);

    failFor(world, () => false);
    await runTick(world);
    expect(deliveredIds(world).slice(24)).toEqual([...range(1, 10), 15]);
  });

  it("two batches of them in a row are the bus's fault: no more of them are sent to it", async () => {
    const world = await worldWithNews(complete(40));
    failFor(world, () => true);
    expect(await runTick(world)).toMatchObject(failed);
    expect(batches(world)).toHaveLength(2);

    failFor(world, () => false);
    // The lease is free at once.
    await runTick(world, { owner: "another" });
    expect(deliveredIds(world)).toHaveLength(40);
  });
});
