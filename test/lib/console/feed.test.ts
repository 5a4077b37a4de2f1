import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Change, EventRow } from "../../../lib/console/changes.ts";
import { createFeed, type Feed } from "../../../lib/console/feed.ts";
import { ground } from "./support/ground.ts";

const event = (number: number): Change => ({ events: [{ number, eventId: `e-${number}` } as EventRow] });

/** A page that listens, and what it has got. */
function listen(feed: Feed): { at: number; frame: Change }[] {
  const frames: { at: number; frame: Change }[] = [];
  void (async () => {
    for await (const frame of feed.frames(new AbortController().signal)) frames.push({ frame, at: Date.now() });
  })();
  return frames;
}

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

it("begins with all there is, and goes on with what changes", async () => {
  const feed = createFeed(ground);
  feed.tell(event(1));
  const frames = listen(feed);
  await vi.advanceTimersByTimeAsync(150);
  feed.tell(event(2));
  feed.tell({ requestsToday: 5 });
  await vi.advanceTimersByTimeAsync(150);

  expect(frames.map(({ frame }) => frame)).toEqual([
    expect.objectContaining({ polled: "a demo", events: [{ number: 1, eventId: "e-1" }] }),
    { ...event(2), requestsToday: 5 },
  ]);
});

it("tells at most ten times a second, and loses nothing by it", async () => {
  const feed = createFeed(ground);
  const frames = listen(feed);
  await vi.advanceTimersByTimeAsync(200);
  for (let number = 1; number <= 300; number += 1) {
    feed.tell(event(number));
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(200);

  expect(frames.length).toBeGreaterThan(20);
  expect(frames.length).toBeLessThanOrEqual(33);
  expect(frames.flatMap(({ frame }) => frame.events ?? [])).toHaveLength(300);
});

it("says every two seconds that it lives", async () => {
  const frames = listen(createFeed(ground));
  await vi.advanceTimersByTimeAsync(10_500);

  const beats = frames.slice(1);
  expect(beats.map(({ frame }) => frame)).toEqual([{}, {}, {}, {}, {}]);
  expect(Math.max(...beats.map(({ at }, i) => at - (frames[i]?.at ?? 0)))).toBeLessThan(2_300);
});

it("tells of a flood the last thousand events", async () => {
  const feed = createFeed(ground);
  const frames = listen(feed);
  await vi.advanceTimersByTimeAsync(150);
  for (let number = 1; number <= 5_000; number += 1) feed.tell({ ...event(number), requestsToday: number });
  await vi.advanceTimersByTimeAsync(150);

  expect(frames).toHaveLength(2);
  expect(frames[1]?.frame).toMatchObject({ requestsToday: 5_000 });
  expect(frames[1]?.frame.events?.map(({ number }) => number)).toEqual(
    Array.from({ length: 1_000 }, (_, i) => 4_001 + i),
  );
});
