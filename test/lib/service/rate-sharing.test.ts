import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRateSharing, type SharingApi } from "../../../lib/service/rate-sharing.ts";
import type { RateClaim, RateClaims } from "../../../lib/state/rate-claims.ts";
import type { LearnedRate } from "../../../lib/survey-api/index.ts";

interface World {
  now: number;
  claims: Map<string, RateClaim>;
  writes: number;
  fails: boolean;
  /** Lets time pass until all workers have looked once more. */
  look(seconds?: number): Promise<void>;
  worker(weight: number, learned?: Partial<LearnedRate>, hasCeiling?: boolean): Worker;
}

interface Worker {
  /** What it has learned and was told; as its client would keep it. */
  rate(): number | undefined;
  burst(): number | undefined;
  part: number;
  learns(learned: Partial<LearnedRate>): void;
  end(): Promise<void>;
  /** As if its process were killed. */
  kill(): void;
}

function sharedService(): World {
  const looks = new Set<() => void>();
  const world: World = {
    now: 0,
    claims: new Map(),
    writes: 0,
    fails: false,
    async look(seconds = 1) {
      for (let i = 0; i < seconds; i += 1) {
        world.now += 1_000;
        // One after the other: what comes of two that look at once depends on who is first.
        for (const each of looks) {
          each();
          await setImmediate();
        }
      }
    },
    worker(weight, given, hasCeiling = false) {
      const whole = (learned: Partial<LearnedRate>): LearnedRate => ({
        requestsPerSecond: 10,
        burst: 4,
        searching: false,
        at: world.now,
        ...learned,
      });
      let learned = given === undefined ? undefined : whole(given);
      const worker = { part: 1 };
      const api: SharingApi = {
        learned: () => learned,
        share: ({ part, rate, burst }) => {
          worker.part = part;
          if (learned === undefined) return;
          learned = { ...learned, requestsPerSecond: learned.requestsPerSecond * rate, burst: learned.burst * burst };
        },
      };
      let stop = (): void => {};
      const every = (_: number, work: () => void): (() => void) => {
        looks.add(work);
        stop = () => looks.delete(work);
        return stop;
      };
      const sharing = createRateSharing({ claims, api, hasCeiling, now: () => world.now, every });
      sharing.begin(weight);
      return Object.assign(worker, {
        rate: () => learned?.requestsPerSecond,
        burst: () => learned?.burst,
        learns: (rate: Partial<LearnedRate>) => {
          learned = whole(rate);
        },
        end: () => sharing.end(),
        kill: () => stop(),
      });
    },
  };
  const claims: RateClaims = {
    async put(worker, claim, now) {
      world.writes += 1;
      if (world.fails) throw new Error("throttled");
      world.claims.set(worker, claim);
      return new Map([...world.claims].filter(([name, { until }]) => name !== worker && until >= now));
    },
    async remove(worker) {
      world.writes += 1;
      world.claims.delete(worker);
    },
  };
  return world;
}

describe("workers of one source", () => {
  it("write nothing as long as the service refuses nothing", async () => {
    const world = sharedService();
    const workers = [world.worker(1), world.worker(1)];
    await world.look(10);
    for (const worker of workers) await worker.end();
    expect(world.writes).toBe(0);
  });

  it("divide by their weights what the service allows all of them, burst and ceiling included", async () => {
    const world = sharedService();
    const ticks = world.worker(2, { requestsPerSecond: 90, burst: 30 }, true);
    await world.look(2);
    expect([ticks.rate(), ticks.burst(), ticks.part]).toEqual([90, 30, 1]);
    const slice = world.worker(1, { requestsPerSecond: 90, burst: 30 }, true);
    await world.look(8);
    expect(ticks.part).toBeCloseTo(2 / 3);
    expect(slice.part).toBeCloseTo(1 / 3);
    expect((ticks.rate() ?? 0) + (slice.rate() ?? 0)).toBeCloseTo(90);
    expect((ticks.burst() ?? 0) + (slice.burst() ?? 0)).toBeCloseTo(30);
    expect(Math.abs((ticks.rate() ?? 0) - 60)).toBeLessThanOrEqual(12);
  });

  it("take all of it over when the others have ended", async () => {
    const world = sharedService();
    const first = world.worker(1, { requestsPerSecond: 80, burst: 40 });
    await world.look(2);
    const second = world.worker(1, { requestsPerSecond: 80, burst: 40 });
    await world.look(3);
    await second.end();
    await world.look();
    expect([first.rate(), first.burst(), first.part]).toEqual([80, 40, 1]);
    expect([second.rate(), second.burst()]).toEqual([80, 40]);
  });

  it("take over as well what one had that was killed, once its claim has run out", async () => {
    const world = sharedService();
    const first = world.worker(1, { requestsPerSecond: 80 });
    await world.look(2);
    const second = world.worker(1, { requestsPerSecond: 80 });
    await world.look(3);
    second.kill();
    await world.look(3);
    expect(first.rate()).toBe(40);
    await world.look(2);
    expect(first.rate()).toBe(80);
  });

  it("approach their parts where one has much and another little", async () => {
    const world = sharedService();
    const [first, second] = [world.worker(1), world.worker(1)];
    first.learns({ requestsPerSecond: 80 });
    second.learns({ requestsPerSecond: 16 });
    await world.look(2);
    first.learns({ requestsPerSecond: 80 });
    second.learns({ requestsPerSecond: 16 });
    await world.look(10);
    for (const worker of [first, second]) expect(Math.abs((worker.rate() ?? 0) - 48)).toBeLessThan(48 * 0.3);
    expect((first.rate() ?? 0) + (second.rate() ?? 0)).toBeLessThan(96 * 1.1);
  });

  it("let one alone that is still finding out what it may take", async () => {
    const world = sharedService();
    const [first, second] = [world.worker(1), world.worker(1)];
    await world.look();
    first.learns({ requestsPerSecond: 10 });
    second.learns({ requestsPerSecond: 10 });
    await world.look(3);
    first.learns({ requestsPerSecond: 50, searching: true });
    await world.look(3);
    expect(first.rate()).toBe(50);
  });

  it("go on with what each has learned by itself while the table refuses to take part", async () => {
    const world = sharedService();
    world.fails = true;
    const worker = world.worker(1, { requestsPerSecond: 80 });
    await world.look(5);
    await worker.end();
    expect([worker.rate(), worker.part]).toEqual([80, 1]);
  });
});
