import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { readAhead } from "../../../../lib/polling/full-read.ts";

/** As long as anything can happen without another call. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

it("a walk that is read ahead goes no further than it may; once it is left, the step that is on its way comes to its end first, and no other begins", async () => {
  const steps = { begun: 0, isLeft: false };
  const gate = Promise.withResolvers<void>();
  async function* walk(): AsyncGenerator<number, void> {
    try {
      for (;;) {
        steps.begun += 1;
        await (steps.begun < 6 ? setImmediate() : gate.promise);
        yield steps.begun;
      }
    } finally {
      steps.isLeft = true;
    }
  }
  const ahead = readAhead(walk(), 4);
  await ahead.next();
  await settle();
  expect(steps).toEqual({ begun: 5, isLeft: false });
  for (const step of [2, 3]) expect(await ahead.next()).toEqual({ done: false, value: step });
  await settle();
  const stopping = ahead.return();
  await settle();
  expect(steps).toEqual({ begun: 6, isLeft: false });
  gate.resolve();
  await stopping;
  expect(steps).toEqual({ begun: 6, isLeft: true });
});

it("its failure is told to whoever comes to that step, and to nobody before", async () => {
  async function* walk(): AsyncGenerator<number, void> {
    yield 1;
    throw new Error("step 2 failed");
  }
  const ahead = readAhead(walk(), 4);
  expect(await ahead.next()).toEqual({ done: false, value: 1 });
  await settle();
  await expect(ahead.next()).rejects.toThrow("step 2 failed");
});
