import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readAhead } from "../../../../lib/polling/full-read.ts";

/** A walk of so many steps, of which one may fail; each of them waits for `before`. */
function walkOf(count: number, { failsAt = 0, before = setImmediate as () => Promise<unknown> } = {}) {
  const steps = { begun: [] as number[], isLeft: false };
  async function* walk(): AsyncGenerator<number, void> {
    try {
      for (let step = 1; step <= count; step += 1) {
        steps.begun.push(step);
        await before();
        if (step === failsAt) throw new Error(`step ${step} failed`);
        yield step;
      }
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
  it.each([1, 3, 12, 100])("gives its steps in their order, with %i done before their turn", async (most) => {
    const given: number[] = [];
    for await (const step of readAhead(walkOf(20).walk, most)) {
      given.push(step);
      if (step % 7 === 0) await settle();
    }
    expect(given).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  it("goes on while a step is dealt with, no further than it may, and is left when it is stopped", async () => {
    const { walk, steps } = walkOf(50);
    const ahead = readAhead(walk, 4);
    await ahead.next();
    await settle();
    expect(steps.begun).toEqual([1, 2, 3, 4, 5]);
    await ahead.return();
    await settle();
    expect(steps).toEqual({ begun: [1, 2, 3, 4, 5], isLeft: true });
  });

  it("tells a failure to whoever comes to that step, and to nobody before", async () => {
    const { walk, steps } = walkOf(10, { failsAt: 4 });
    const ahead = readAhead(walk, 12);
    for (const step of [1, 2, 3]) {
      expect(await ahead.next()).toEqual({ done: false, value: step });
      await settle();
    }
    await expect(ahead.next()).rejects.toThrow("step 4 failed");
    expect(steps.isLeft).toBe(true);
  });

  it("lets the step that is on its way come to its end before it is left, and begins no other", async () => {
    let gate = Promise.resolve();
    const { walk, steps } = walkOf(50, { before: () => gate });
    const ahead = readAhead(walk, 3);
    await ahead.next();
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    await settle();
    const begun = [...steps.begun];
    const stopping = ahead.return();
    await settle();
    expect([steps.begun, steps.isLeft]).toEqual([begun, false]);
    open();
    await stopping;
    expect(steps).toEqual({ begun, isLeft: true });
  });
});
