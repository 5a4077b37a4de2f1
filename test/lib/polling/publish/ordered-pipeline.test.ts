import { expect, it } from "vitest";
import { OrderedPipeline } from "../../../../lib/polling/publish/ordered-pipeline.ts";

/** A pipeline of numbers with room for three, which it sends together. `finish` ends their preparation. */
function pipelineOf(send: (batch: number[]) => Promise<void>) {
  const begun: number[] = [];
  const timers = new Set<() => void>();
  const ready = new Map<number, () => void>();
  const pipeline = new OrderedPipeline<number, number>({
    most: 3,
    prepare: (item) => {
      begun.push(item);
      return new Promise((resolve) => ready.set(item, () => resolve(item)));
    },
    batch: (some) => ({ length: some.length, isFull: some.length >= 3 }),
    send,
    every(work) {
      timers.add(work);
      return () => timers.delete(work);
    },
  });
  const finish = async (...items: number[]): Promise<void> => {
    for (const item of items) ready.get(item)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pipeline, begun, finish, timers };
}

it("an ordered pipeline begins no more than it has room for, and goes on as items are sent", async () => {
  const { pipeline, begun, finish } = pipelineOf(async () => undefined);
  const taken = pipeline.take([1, 2, 3, 4, 5]);
  await finish();
  expect(begun).toEqual([1, 2, 3]);
  await finish(1, 2, 3);
  await taken;
  expect(begun).toEqual([1, 2, 3, 4, 5]);
});

it("it begins nothing more after the first failure, and throws that at the end", async () => {
  const { pipeline, begun, finish } = pipelineOf(() => Promise.reject(new Error("the bus failed")));
  const taken = expect(pipeline.take([1, 2, 3, 4])).rejects.toThrow("the bus failed");
  await finish(1, 2, 3);
  await taken;
  expect(begun).toEqual([1, 2, 3]);
  await expect(pipeline.end()).rejects.toThrow("the bus failed");
});

it("a batch that is not full goes out after a while, once no other is being sent", async () => {
  const sent: number[] = [];
  const taken = Promise.withResolvers<void>();
  const { pipeline, finish, timers } = pipelineOf(async (batch) => {
    sent.push(...batch);
    if (sent.length === 1) await taken.promise;
  });
  const pass = (): void => {
    for (const work of timers) work();
  };
  await pipeline.take([1, 2, 3]);
  await finish(2);
  pass();
  await finish(1);
  pass();
  expect([sent, timers.size]).toEqual([[2], 1]);
  taken.resolve();
  await finish();
  pass();
  expect([sent, timers.size]).toEqual([[2, 1], 0]);
});
