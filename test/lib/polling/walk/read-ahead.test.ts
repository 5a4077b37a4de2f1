import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readAhead } from "../../../../lib/polling/full-read.ts";

/** A walk of so many steps, of which one may fail; each of them waits for `before`. */
function walkOf(
  count: number,
  { failsAt, before = setImmediate }: { failsAt?: number; before?: () => Promise<unknown> } = {},
) {
  const steps = { begun: [] as number[], isLeft: false };
  async function* walk(): AsyncGenerator<number, string> {
    try {
      for (let step = 1; step <= count; step += 1) {
        steps.begun.push(step);
        await before();
        if (step === failsAt) throw new Error(`step ${step} failed`);
        yield step;
      }
      return "the end";
    } finally {
      steps.isLeft = true;
    }
  }
  return { walk: walk(), steps };
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
      for (let next = await ahead.next(); ; next = await ahead.next()) {
        given.push(next.value);
        if (next.done) break;
        if (given.length % 7 === 0) await settle();
      }
      expect(given).toEqual([...Array.from({ length: 20 }, (_, i) => i + 1), "the end"]);
    },
  );

  it("goes on while a step is dealt with, no further than it may, and is left when it is stopped", async () => {
    const { walk, steps } = walkOf(50);
    const ahead = readAhead(walk, 4);
    await settle();
    expect(steps.begun).toEqual([1, 2, 3, 4]);
    await ahead.next();
    await settle();
    await ahead.return?.();
    await settle();
    expect(steps).toEqual({ begun: [1, 2, 3, 4, 5], isLeft: true });
  });

  it("tells a failure to whoever comes to that step, and to nobody before", async () => {
    const ahead = readAhead(walkOf(10, { failsAt: 4 }).walk, 12);
    await settle();
    for (const step of [1, 2, 3]) expect(await ahead.next()).toEqual({ done: false, value: step });
    await expect(ahead.next()).rejects.toThrow("step 4 failed");
    await ahead.return?.();
  });

  it("lets the step that is on its way come to its end before it is left, and begins no other", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { walk, steps } = walkOf(50, { before: () => gate });
    const ahead = readAhead(walk, 3);
    await settle();
    let isStopped = false;
    const stopping = ahead.return?.().then(() => {
      isStopped = true;
    });
    await settle();
    expect([steps.begun, isStopped, steps.isLeft]).toEqual([[1], false, false]);
    open();
    await stopping;
    expect(steps).toEqual({ begun: [1], isLeft: true });
  });

  it.each([2, 99])(
    "is left once it has come to its end, or has failed, and says nothing of that (%i)",
    async (failsAt) => {
      const { walk, steps } = walkOf(2, { failsAt });
      const ahead = readAhead(walk, 5);
      await settle();
      await expect(ahead.return?.()).resolves.toMatchObject({ done: true });
      expect(steps.isLeft).toBe(true);
    },
  );
});
