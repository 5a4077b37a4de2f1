import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readAhead } from "../../../../lib/polling/full-read.ts";

interface Steps {
  walk: AsyncGenerator<number, string>;
  /** Steps begun so far, and whether the walk was left. */
  begun: number[];
  isLeft: () => boolean;
}

/** A walk of so many steps, of which one may fail; each of them waits for `before`. */
function walkOf(count: number, options: { failsAt?: number; before?: (step: number) => Promise<unknown> } = {}): Steps {
  const begun: number[] = [];
  let left = false;
  async function* walk(): AsyncGenerator<number, string> {
    try {
      for (let step = 1; step <= count; step += 1) {
        begun.push(step);
        await (options.before?.(step) ?? setImmediate());
        if (step === options.failsAt) throw new Error(`step ${step} failed`);
        yield step;
      }
      return "the end";
    } finally {
      left = true;
    }
  }
  return { walk: walk(), begun, isLeft: () => left };
}

/** As long as anything can happen without another call. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

describe("a walk that is read ahead", () => {
  it.each([1, 3, 12, 100])(
    "gives its steps in their order, and its end, with %i done before their turn",
    async (most) => {
      const ahead = readAhead(walkOf(20).walk, most);
      const given: unknown[] = [];
      for (;;) {
        const next = await ahead.next();
        given.push(next.value);
        if (next.done) break;
        if (given.length % 7 === 0) await settle();
      }
      expect(given).toEqual([...Array.from({ length: 20 }, (_, i) => i + 1), "the end"]);
    },
  );

  it("goes on while a step is dealt with, and no further than it may", async () => {
    const { walk, begun } = walkOf(50);
    const ahead = readAhead(walk, 4);
    await settle();
    expect(begun).toEqual([1, 2, 3, 4]);
    await ahead.next();
    await settle();
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    await ahead.return?.();
  });

  it("tells a failure to whoever comes to that step, and to nobody before", async () => {
    const { walk } = walkOf(10, { failsAt: 4 });
    const ahead = readAhead(walk, 12);
    await settle();
    for (const step of [1, 2, 3]) expect(await ahead.next()).toEqual({ done: false, value: step });
    await expect(ahead.next()).rejects.toThrow("step 4 failed");
    await ahead.return?.();
  });

  it("says nothing of a failure that lies behind the place where it is stopped", async () => {
    const { walk } = walkOf(10, { failsAt: 4 });
    const ahead = readAhead(walk, 12);
    expect(await ahead.next()).toEqual({ done: false, value: 1 });
    await settle();
    await expect(ahead.return?.()).resolves.toMatchObject({ done: true });
  });
});

describe("a walk that is read ahead and stopped", () => {
  it("is left while as many steps are done as may be", async () => {
    const { walk, begun, isLeft } = walkOf(50);
    const ahead = readAhead(walk, 3);
    await settle();
    expect(begun).toEqual([1, 2, 3]);

    await ahead.return?.();

    expect(isLeft()).toBe(true);
    await settle();
    expect(begun).toEqual([1, 2, 3]);
  });

  it("is left while none is done: the one on its way comes to its end first, and no other is begun", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { walk, begun, isLeft } = walkOf(50, { before: () => gate });
    const ahead = readAhead(walk, 3);
    await settle();
    let isStopped = false;
    const stopping = ahead.return?.().then(() => {
      isStopped = true;
    });
    await settle();
    expect([begun, isStopped, isLeft()]).toEqual([[1], false, false]);

    open();
    await stopping;

    expect([begun, isLeft()]).toEqual([[1], true]);
  });

  it("is left once it has come to its end, or has failed", async () => {
    for (const failsAt of [2, 99]) {
      const { walk, isLeft } = walkOf(2, { failsAt });
      const ahead = readAhead(walk, 5);
      await settle();
      await ahead.return?.();
      expect(isLeft()).toBe(true);
    }
  });
});
