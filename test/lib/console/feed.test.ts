import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Change, EventRow } from "../../../lib/console/changes.ts";
import { createFeed, FEED, type Feed, type Frame } from "../../../lib/console/feed.ts";
import { ground } from "./support/ground.ts";

const event = (number: number): Change => ({ kind: "event", row: { number, eventId: `e-${number}` } as EventRow });
const pause = (text: string): Change => ({ kind: "flag", flag: { at: 0, kind: "pause", text } });

/** A page that listens, and what it has got. */
function listen(feed: Feed, lastId?: string) {
  const gone = new AbortController();
  const frames: (Frame & { at: number })[] = [];
  void (async () => {
    for await (const frame of feed.frames(lastId, gone.signal)) frames.push({ ...frame, at: Date.now() });
  })();
  return { frames, leave: () => gone.abort() };
}

const changesOf = (frames: readonly Frame[]): Change[] =>
  frames.flatMap((frame) => (frame.event === "delta" ? frame.data : []));

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

describe("the feed", () => {
  it("begins with all there is, and goes on with what changes", async () => {
    const feed = createFeed(ground);
    feed.tell(event(1));
    const { frames } = listen(feed);
    await vi.advanceTimersByTimeAsync(150);
    feed.tell(event(2));
    await vi.advanceTimersByTimeAsync(150);

    expect(frames.map((frame) => frame.event)).toEqual(["snapshot", "delta"]);
    expect(frames[0]?.data).toMatchObject({ polled: "a demo", events: [{ number: 1 }] });
    expect(frames[1]?.data).toEqual([event(2)]);
  });

  it("tells at most ten times a second, and loses nothing by it", async () => {
    const feed = createFeed(ground);
    const { frames } = listen(feed);
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
    const feed = createFeed(ground);
    const { frames } = listen(feed);
    await vi.advanceTimersByTimeAsync(10_500);

    const beats = frames.filter((frame) => frame.event === "beat").map(({ at }) => at);
    expect(beats.length).toBe(5);
    expect(Math.max(...beats.map((at, i) => at - (beats[i - 1] ?? at)))).toBeLessThan(2_300);
  });

  it("lets a page that was away go on where it stopped", async () => {
    const feed = createFeed(ground);
    const first = listen(feed);
    await vi.advanceTimersByTimeAsync(150);
    feed.tell(event(1));
    await vi.advanceTimersByTimeAsync(150);
    first.leave();
    feed.tell(event(2));
    feed.tell(pause("a"));

    const again = listen(feed, first.frames.at(-1)?.id);
    await vi.advanceTimersByTimeAsync(150);

    expect(again.frames).toMatchObject([{ event: "delta", data: [event(2), pause("a")] }]);
  });

  it.each([
    ["of another run", () => "run-0.1"],
    ["from the future", () => "run-1.999999"],
    ["that is none", () => "x"],
    ["that the ring no longer reaches", () => "run-1.0"],
  ])("begins anew for an id %s", async (_what, id) => {
    const feed = createFeed(ground);
    for (let number = 1; number <= FEED.ring + 1; number += 1) feed.tell(event(number));

    const { frames } = listen(feed, id());
    await vi.advanceTimersByTimeAsync(50);

    expect(frames.map((frame) => frame.event)).toEqual(["snapshot"]);
  });

  it("goes on from the oldest change that the ring holds", async () => {
    const feed = createFeed(ground);
    for (let number = 1; number <= FEED.ring + 1; number += 1) feed.tell(pause(`${number}`));

    const { frames } = listen(feed, "run-1.1");
    await vi.advanceTimersByTimeAsync(50);

    expect(changesOf(frames)).toHaveLength(FEED.ring);
  });

  it("tells of a flood the last thousand events, and of what is replaced the last alone", async () => {
    const feed = createFeed(ground);
    const { frames } = listen(feed);
    await vi.advanceTimersByTimeAsync(150);
    for (let number = 1; number <= 5_000; number += 1) {
      feed.tell(event(number));
      feed.tell({ kind: "now", of: { requestsToday: number } });
    }
    await vi.advanceTimersByTimeAsync(150);

    const changes = changesOf(frames);
    const events = changes.filter((change) => change.kind === "event");
    expect(events).toHaveLength(1_000);
    expect(events.at(-1)).toEqual(event(5_000));
    expect(changes.filter(({ kind }) => kind === "now")).toEqual([{ kind: "now", of: { requestsToday: 5_000 } }]);
  });
});
