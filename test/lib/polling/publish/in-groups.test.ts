import { describe, expect, it } from "vitest";
import { inGroups } from "../../../../lib/polling/publish/in-groups.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

/** Some work that is done, or fails, when it is told to. */
function work(count: number) {
  const { clock, time } = virtualClock(0);
  const all = Array.from({ length: count }, () => Promise.withResolvers<number>());
  const groups = inGroups(
    clock,
    all.map(({ promise }) => promise),
  );
  return {
    groups,
    done(...numbers: number[]) {
      for (const number of numbers) all[number]?.resolve(number);
    },
    fail: (number: number) => all[number]?.reject(new Error(`no ${number}`)),
    /** Lets what was told come about, and then so many milliseconds go by. */
    async pass(milliseconds: number) {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      time.now += milliseconds;
    },
  };
}

describe("what is done, in groups", () => {
  it("are one group where all of it comes at once", async () => {
    const { groups, done } = work(3);
    const first = groups.next();
    done(2, 0, 1);
    expect(await first).toEqual({ done: false, value: [2, 0, 1] });
    expect(await groups.next()).toEqual({ done: true, value: undefined });
  });

  it("are what has come since the last one, each second, be it nothing", async () => {
    const { groups, done, pass } = work(3);
    const first = groups.next();
    done(0);
    await pass(900);
    done(1);
    await pass(100);
    expect((await first).value).toEqual([0, 1]);
    const second = groups.next();
    await pass(1_000);
    expect((await second).value).toEqual([]);
    const last = groups.next();
    done(2);
    expect((await last).value).toEqual([2]);
    expect((await groups.next()).done).toBe(true);
  });

  it("are complete also where the last of it comes while a group is dealt with", async () => {
    const { groups, done, pass } = work(3);
    const first = groups.next();
    done(0);
    await pass(1_000);
    expect((await first).value).toEqual([0]);
    done(1, 2);
    await pass(0);
    expect((await groups.next()).value).toEqual([1, 2]);
    expect((await groups.next()).done).toBe(true);
  });

  it("end with the first failure, once nothing is under way", async () => {
    const { groups, done, fail, pass } = work(3);
    let ended = false;
    const first = groups.next().finally(() => {
      ended = true;
    });
    fail(1);
    done(0);
    await pass(5_000);
    expect(ended).toBe(false);
    done(2);
    await expect(first).rejects.toThrow("no 1");
  });

  it("are none where there is no work", async () => {
    expect(await work(0).groups.next()).toEqual({ done: true, value: undefined });
  });
});
