import { describe, expect, it } from "vitest";
import { OrderedPipeline } from "../../../../lib/polling/publish/ordered-pipeline.ts";

/** A pipeline of numbers whose preparation ends when it is told to, in batches of three. */
function pipelineOf(most: number, send: (batch: number[]) => Promise<void> = async () => undefined) {
  const begun: number[] = [];
  const batches: number[][] = [];
  const ready = new Map<number, (value: number | undefined) => void>();
  const pipeline = new OrderedPipeline<number, number>({
    most,
    prepare: (item) => {
      begun.push(item);
      return new Promise((resolve) => ready.set(item, resolve));
    },
    batch: (some) => ({ length: Math.min(3, some.length), isFull: some.length >= 3 }),
    send: (batch) => {
      batches.push(batch);
      return send(batch);
    },
    every: () => () => undefined,
  });
  const finish = async (...items: number[]): Promise<void> => {
    for (const item of items) ready.get(item)?.(item);
    await settled();
  };
  return { pipeline, begun, batches, ready, finish };
}

/** Resolves once all that can go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("an ordered pipeline", () => {
  it("sends full batches at once, in the order in which items were taken, and the rest at the end", async () => {
    const { pipeline, batches, finish } = pipelineOf(10);
    await pipeline.take([1, 2, 3, 4]);
    await finish(4, 2);
    expect(batches).toEqual([]);
    await finish(1);
    expect(batches).toEqual([[1, 2, 4]]);
    const end = pipeline.end();
    await finish(3);
    await end;
    expect(batches).toEqual([[1, 2, 4], [3]]);
  });

  it("begins no more than it has room for, and goes on as items are sent", async () => {
    const { pipeline, begun, finish } = pipelineOf(3);
    const taken = pipeline.take([1, 2, 3, 4, 5]);
    await settled();
    expect(begun).toEqual([1, 2, 3]);
    await finish(1, 2, 3);
    await taken;
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    const end = pipeline.end();
    await finish(4, 5);
    await end;
  });

  it("leaves out what is not to be sent", async () => {
    const { pipeline, batches, ready, finish } = pipelineOf(10);
    await pipeline.take([1, 2]);
    ready.get(1)?.(undefined);
    await finish(2);
    await pipeline.end();
    expect(batches).toEqual([[2]]);
  });

  it("begins nothing more after the first failure, and throws that at the end", async () => {
    const { pipeline, begun, finish } = pipelineOf(3, () => Promise.reject(new Error("the bus failed")));
    const taken = expect(pipeline.take([1, 2, 3, 4])).rejects.toThrow("the bus failed");
    await finish(1, 2, 3);
    await taken;
    expect(begun).toEqual([1, 2, 3]);
    await expect(pipeline.end()).rejects.toThrow("the bus failed");
  });
});
