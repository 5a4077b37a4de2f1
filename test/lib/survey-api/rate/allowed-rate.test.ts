import { describe, expect, it } from "vitest";
import { createAllowedRate, type LearnedRate } from "../../../../lib/survey-api/rate/allowed-rate.ts";
import { drain, type Run, type VirtualService } from "../support/virtual-service.ts";

const forms = ["seconds", "date", "none"] as const;
/** 500 responses: 25 pages, proved, and the metrics and metadata of each. */
const REQUESTS = 1_050;
const START = Date.UTC(2026, 2, 10, 12) + 137;

/** Runs one after the other, a while apart, each with what the one before has learned. */
async function runs(service: VirtualService, count: number, times: number): Promise<Run[]> {
  const done: Run[] = [];
  let startAt = START;
  let learned: LearnedRate | undefined;
  for (let i = 0; i < times; i += 1) {
    const run = await drain(service, { count, concurrency: 16, startAt, learned });
    done.push(run);
    startAt = run.endedAt + 10_000 + 137 * i;
    // It goes through a file or a table.
    learned = JSON.parse(JSON.stringify(run.learned ?? null)) ?? undefined;
  }
  return done;
}

const lateRefusals = ({ refused, requests }: Run): number =>
  refused.filter((place) => place > 0.2).length / (0.8 * requests);

describe.each(forms)("a service that allows 100 requests/s and a burst of 50, with Retry-After: %s", (retryAfter) => {
  it.each([3, 50])("is used to 1.1 × the ideal time once it is learned, at %i ms", async (latency) => {
    const [first, ...learned] = await runs({ perSecond: 100, burst: 50, retryAfter, latency }, REQUESTS, 8);

    for (const run of learned) {
      expect(run.seconds).toBeLessThanOrEqual(1.1 * run.ideal);
      expect(lateRefusals(run)).toBeLessThanOrEqual(0.01);
    }
    expect(first?.seconds).toBeLessThanOrEqual(1.25 * (first?.ideal ?? 0));
    expect(lateRefusals(first as Run)).toBeLessThanOrEqual(0.01);
  });

  it.each<[string, Omit<VirtualService, "retryAfter" | "latency">, number]>([
    ["slow", { perSecond: 10, burst: 5 }, 1.15],
    ["strict to the single request", { perSecond: 100, burst: 1 }, 2.4],
    ["slow after a great burst", { perSecond: 5, burst: 300 }, 1.05],
    ["one that counts by the second", { perSecond: 100, window: 1_000 }, 2.2],
  ])("so is %s, in its own way", async (_name, kind, bound) => {
    for (const run of (await runs({ ...kind, retryAfter, latency: 3 }, REQUESTS, 4)).slice(1)) {
      expect(run.seconds).toBeLessThanOrEqual(bound * run.ideal);
    }
  });
});

/** A rate on a clock that the test moves. */
function rateAt({ learned, ...options }: { maxRequestsPerSecond?: number; learned?: LearnedRate } = {}) {
  const time = { now: 0 };
  const clock = (): number => time.now;
  const rate = createAllowedRate({ now: clock, monotonic: clock, ...options });
  if (learned !== undefined) rate.learn(learned);
  return { time, rate };
}

describe("the allowed rate", () => {
  it("follows a service that allows more than before", async () => {
    const [, second] = await runs({ perSecond: 20, burst: 5, retryAfter: "seconds", latency: 3 }, 400, 2);
    const after = await drain(
      { perSecond: 200, burst: 50, retryAfter: "seconds", latency: 3 },
      { count: 20_000, concurrency: 16, startAt: START, learned: second?.learned as LearnedRate },
    );
    expect(second?.learned?.requestsPerSecond).toBeLessThan(21);
    expect(after.learned?.requestsPerSecond).toBeGreaterThan(150);
  });

  it("is never more than the ceiling, in any second", () => {
    const sent: number[] = [];
    const { time, rate } = rateAt({ maxRequestsPerSecond: 5 });
    for (; time.now < 10_000; time.now += 1) {
      while (rate.wait() === 0) {
        rate.take();
        sent.push(time.now);
        rate.granted();
      }
    }
    expect(sent.length).toBeGreaterThanOrEqual(49);
    for (const at of sent) {
      expect(sent.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(5 + 1);
    }
  });

  it("is without limit, and nothing is learned, while nothing is refused", async () => {
    const run = await drain(
      { perSecond: 1e6, burst: 1e6, retryAfter: "none", latency: 10 },
      { count: 1_600, concurrency: 16, startAt: START },
    );
    expect(run.seconds).toBeCloseTo(1, 1);
    expect(run.learned).toBeUndefined();
  });

  it("is one request in ten seconds at least, whatever it has from another client", () => {
    const { time, rate } = rateAt({ learned: { requestsPerSecond: 1e-9, at: 0 } });
    expect(rate.learned()).toMatchObject({ requestsPerSecond: 0.1 });
    for (let request = 0; request < 20; request += 1) {
      // As a timer does.
      while (rate.wait() > 0) time.now += Math.ceil(rate.wait());
      rate.take();
      rate.granted();
      rate.finished();
    }
    expect(time.now).toBeLessThanOrEqual(200_100);
    expect(rate.learned()?.requestsPerSecond).toBeGreaterThanOrEqual(0.1);
  });

  it.each(["seconds", "none"] as const)(
    "follows a service that allows far less than before, with %s",
    async (retryAfter) => {
      const learned = { requestsPerSecond: 500, at: START };
      const run = await drain(
        { perSecond: 5, burst: 5, retryAfter, latency: 20 },
        { count: 300, concurrency: 32, startAt: START, learned },
      );
      expect(run.refused.length).toBeLessThan(250);
      expect(run.seconds).toBeLessThan(1.3 * run.ideal);
      expect(run.learned?.requestsPerSecond).toBeLessThan(6);
    },
  );

  it("pauses as long as it was asked to, and longer from time to time when it was not", () => {
    const { time, rate } = rateAt();
    expect(rate.refused(0, 90_000)).toBe(90_000);
    const pauses = Array.from({ length: 9 }, () => {
      time.now += 10_000;
      return rate.refused(time.now, undefined);
    });
    expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
    rate.granted();
    time.now += 10_000;
    expect(rate.refused(time.now, 0)).toBe(100);
  });

  it("pauses longer than it was asked to once that has proved too short, until something is granted", () => {
    const { time, rate } = rateAt();
    const refusedAgain = (retryAfter: number): number => {
      time.now += 10_000;
      return rate.refused(time.now, retryAfter);
    };
    expect([10, 10, 10, 10, 2_000, 10].map(refusedAgain)).toEqual([10, 200, 400, 800, 2_000, 2_000]);
    rate.granted();
    expect([10, 10].map(refusedAgain)).toEqual([10, 200]);
  });
});
