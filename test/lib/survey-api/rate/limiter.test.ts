import { describe, expect, it } from "vitest";
import { createLimiter, type LimiterOptions, LongPause, type Turn } from "../../../../lib/survey-api/rate/limiter.ts";

/** A limiter on a virtual clock: sleepers wake when the time is moved to where they wanted it. */
function limiterWith(options: Partial<LimiterOptions> = {}, time = { now: 1_000 }) {
  const sleepers: { until: number; wake: () => void }[] = [];
  const limiter = createLimiter({
    concurrency: 2,
    longestPause: 60_000,
    now: () => time.now,
    monotonic: () => time.now,
    sleep: (milliseconds) => new Promise((wake) => sleepers.push({ until: time.now + milliseconds, wake })),
    ...options,
  });
  const names: string[] = [];
  const ends = new Map<string, () => void>();
  /** Puts work into the queue that lasts until it is ended by its name. */
  const add = (name: string, turn: Partial<Turn> = {}): Promise<string> =>
    limiter.run(
      () =>
        new Promise<string>((resolve) => {
          names.push(name);
          ends.set(name, () => resolve(name));
        }),
      { priority: "news", again: false, signal: undefined, ...turn },
    );
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };
  const end = async (name: string): Promise<void> => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  const pass = async (milliseconds: number): Promise<void> => {
    time.now += milliseconds;
    for (const { wake } of sleepers.filter(({ until }) => until <= time.now)) wake();
    await settle();
  };
  /** What has begun, once all that may has. */
  const begun = async (): Promise<string[]> => {
    await settle();
    return names;
  };
  return { limiter, add, begun, end, pass, time };
}

describe("work that waits for its turn", () => {
  it("goes by priority, what is made again before what was not made yet, and else in its order", async () => {
    const { add, begun, end } = limiterWith({ concurrency: 1 });
    void add("first");
    void add("old 1", { priority: "backlog" });
    void add("old 2", { priority: "backlog" });
    void add("old again", { priority: "backlog", again: true });
    void add("new 1");
    void add("new 2");
    void add("new again", { again: true });
    for (const name of ["first", "new again", "new 1", "new 2", "old again", "old 1"]) await end(name);
    expect(await begun()).toEqual(["first", "new again", "new 1", "new 2", "old again", "old 1", "old 2"]);
  });

  it("does not hold a place: news that comes while the backlog waits for the rate goes first", async () => {
    const { add, begun, pass } = limiterWith({ concurrency: 8, maxRequestsPerSecond: 1 });
    for (let i = 0; i < 5; i += 1) void add(`old ${i}`, { priority: "backlog" });
    void add("new");
    await pass(1_000);
    expect(await begun()).toEqual(["old 0", "new"]);
  });
});

describe("a pause", () => {
  it("is over by either clock: one may stand still while the process is frozen, the other be set back", async () => {
    const time = { now: 1_000 };
    const still = limiterWith({ longestPause: 20_000, monotonic: () => time.now / 50 }, time);
    still.limiter.refused(time.now, 60_000);
    await expect(still.add("too early")).rejects.toBeInstanceOf(LongPause);
    await still.pass(60_000);
    void still.add("later");
    expect(await still.begun()).toEqual(["later"]);

    const back = limiterWith({ now: () => 5_000, longestPause: 20_000 });
    back.limiter.refused(back.time.now, 10_000);
    void back.add("waits");
    await back.pass(10_000);
    expect(await back.begun()).toEqual(["waits"]);
  });
});
