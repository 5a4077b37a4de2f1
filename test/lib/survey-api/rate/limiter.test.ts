import { expect, it } from "vitest";
import { createLimiter, type LimiterOptions, LongPause, type Turn } from "../../../../lib/survey-api/rate/limiter.ts";

/** A limiter on a virtual clock, which its sleeping moves. `begun`: the names of its work, in the order in which that has begun. */
function limiterWith(options: Partial<LimiterOptions> = {}, time = { now: 1_000 }) {
  const limiter = createLimiter({
    concurrency: 1,
    longestPause: 20_000,
    now: () => time.now,
    monotonic: () => time.now,
    sleep: async (milliseconds) => {
      time.now += milliseconds;
    },
    ...options,
  });
  const begun: string[] = [];
  const add = (name: string, turn: Partial<Turn> = {}): Promise<unknown> =>
    limiter.run(async () => begun.push(name), { priority: "news", again: false, signal: undefined, ...turn });
  return { limiter, time, begun, add };
}

it("work goes by priority, what is made again before what was not made yet, and else in its order", async () => {
  const { begun, add } = limiterWith();
  await Promise.all([
    add("first"),
    add("old 1", { priority: "backlog" }),
    add("old 2", { priority: "backlog" }),
    add("old again", { priority: "backlog", again: true }),
    add("new 1"),
    add("new 2"),
    add("new again", { again: true }),
  ]);
  expect(begun).toEqual(["first", "new again", "new 1", "new 2", "old again", "old 1", "old 2"]);
});

it("work that waits for the rate holds no place: news that comes meanwhile goes first", async () => {
  const { begun, add } = limiterWith({ concurrency: 8, maxRequestsPerSecond: 1 });
  await Promise.all([...["old 1", "old 2"].map((name) => add(name, { priority: "backlog" })), add("new")]);
  expect(begun).toEqual(["old 1", "new", "old 2"]);
});

it("a pause is over by either clock: one may stand still while the process is frozen, the other be set back", async () => {
  const time = { now: 1_000 };
  const still = limiterWith({ monotonic: () => time.now / 50 }, time);
  still.limiter.refused(time.now, 60_000);
  await expect(still.add("too early")).rejects.toBeInstanceOf(LongPause);
  time.now += 60_000;
  await still.add("later");
  expect(still.begun).toEqual(["later"]);

  const back = limiterWith({ now: () => 5_000 });
  back.limiter.refused(back.time.now, 10_000);
  await back.add("waits");
  expect(back.time.now).toBe(11_000);
});
