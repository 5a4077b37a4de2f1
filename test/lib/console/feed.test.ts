import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Change, EventRow } from "../../../lib/console/changes.ts";
import { createFeed, FEED, type Feed, type Frame } from "../../../lib/console/feed.ts";
import { ground } from "./support/ground.ts";

const event = (number: number): Change => ({ kind: "event", row: { number, eventId: `e-${number}` } as EventRow });

/** A page that listens, and what it has got. */
function listen(feed: Feed): (Frame & { at: number })[] {
  const frames: (Frame & { at: number })[] = [];
  void (async () => {
    for await (const frame of feed.frames(new AbortController().signal)) frames.push({ ...frame, at: Date.now() });
  })();
  return frames;
}

const changesOf = (frames: readonly Frame[]): Change[] =>
  frames.flatMap((frame) => (frame.event === "delta" ? frame.data : []));

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

it("begins with all there is, and goes on with what changes", async () => {
  const feed = createFeed(ground);
  feed.tell(event(1));
  const frames = listen(feed);
  await vi.advanceTimersByTimeAsync(150);
  feed.tell(event(2));
  await vi.advanceTimersByTimeAsync(150);

  expect(frames.map((frame) => frame.event)).toEqual(["snapshot", "delta"]);
  expect(frames[0]?.data).toMatchObject({ polled: "a demo", events: [{ number: 1 }] });
  expect(frames[1]?.data).toEqual([event(2)]);
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

  const deltas = frames.filter((frame) => frame.event === "delta");
  expect(deltas.length).toBeGreaterThan(20);
  expect(deltas.length).toBeLessThanOrEqual(32);
  expect(changesOf(frames)).toHaveLength(300);
});

it("says every two seconds that it lives", async () => {
  const frames = listen(createFeed(ground));
  await vi.advanceTimersByTimeAsync(10_500);

  const beats = frames.filter((frame) => frame.event === "beat").map(({ at }) => at);
  expect(beats.length).toBe(5);
  expect(Math.max(...beats.map((at, i) => at - (beats[i - 1] ?? at)))).toBeLessThan(2_300);
});

it("tells all anew after a flood, with the last thousand events", async () => {
  const feed = createFeed(ground);
  const frames = listen(feed);
  await vi.advanceTimersByTimeAsync(150);
  for (let number = 1; number <= 5 * FEED.most; number += 1) {
    feed.tell(event(number));
    feed.tell({ kind: "now", of: { requestsToday: number } });
  }
  await vi.advanceTimersByTimeAsync(150);
  feed.tell(event(0));
  await vi.advanceTimersByTimeAsync(150);

  expect(frames.map((frame) => frame.event)).toEqual(["snapshot", "snapshot", "delta"]);
  const last = frames[1]?.event === "snapshot" ? frames[1].data : undefined;
  expect(last).toMatchObject({ requestsToday: 5_000 });
  expect(last?.events).toHaveLength(1_000);
  expect(last?.events.at(-1)?.number).toBe(5_000);
});
