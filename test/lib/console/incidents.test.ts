import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { EventRow, Incident } from "../../../lib/console/changes.ts";
import { createIncidents } from "../../../lib/console/trouble.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function incidents() {
  const told: (Incident | undefined)[] = [];
  const world = { requests: 10, fate: "onTheWay" as "missed" | "onTheWay" };
  const made = createIncidents({
    simulator: { counters: () => ({ requests: world.requests }) },
    shadow: { fate: () => world.fate },
    signal: new AbortController().signal,
    tell: (cards) => void told.push(cards.at(-1)),
  });
  const event = (responseId: number, isRepeat = false): void =>
    made.event({ type: "response.completed", surveyId: 7, responseId, isRepeat, at: Date.now() } as EventRow);
  return { ...made, event, told, world };
}

const late = { kind: "late", title: "Late" };
const concerned = [1, 2].map((responseId) => ({ surveyId: 7, responseId }));

it("closes by itself once everything has its event, it is over, and the cursor poller has had its polls", async () => {
  const { open, event, told, world } = incidents();
  const calm = Promise.withResolvers<void>();
  void open(late, { what: "…", concerned, calm: calm.promise });
  await vi.advanceTimersByTimeAsync(3_000);
  world.requests = 19;
  event(1);
  event(2);
  event(2, true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told.at(-1)).toMatchObject({ left: 0 });
  expect(told.at(-1)?.closed).toBeUndefined();

  calm.resolve();
  world.fate = "missed";
  world.requests = 30;
  await vi.advanceTimersByTimeAsync(1_000);

  expect(told.at(-1)?.closed?.sentence).toBe(
    "All 2 found after 3.0 s, 9 requests. Lost 0. 1 came twice, under the same event id. The cursor poller missed 2.",
  );
});

it("stays open as long as something is missing, and closes when it comes", async () => {
  const { open, event, told, world } = incidents();
  const end = vi.fn();
  void open(late, { what: "…", concerned, end });
  event(1);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(told.at(-1)).toMatchObject({ left: 1 });
  expect(told.every((card) => card?.closed === undefined)).toBe(true);
  expect(end).not.toHaveBeenCalled();

  event(2);
  world.fate = "missed";
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told.at(-1)).toMatchObject({ left: 0, closed: { foundAt: 1_600_000 } });
  expect(end).toHaveBeenCalledTimes(1);
});

it("does not say that the cursor poller missed nothing while it is still at it", async () => {
  const { open, event, told } = incidents();
  void open(late, { what: "…", concerned });
  event(1);
  event(2);
  await vi.advanceTimersByTimeAsync(10_000);

  expect(told.at(-1)?.closed?.sentence).toMatch(/Lost 0\. The cursor poller has not found 2 yet\.$/);
});
