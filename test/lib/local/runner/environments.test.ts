import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEnvironments, type PollHandler } from "../../../../lib/local/runner/environments.ts";
import type { PollInput } from "../../../../lib/run/poll-input.ts";
import type { PollOutput } from "../../../../lib/run/poll-sources.ts";

const MINUTE = 60_000;
const never = new AbortController().signal;
const nothing: PollOutput = { ticks: [] };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Invocation {
  environment: number;
  name: string;
  input: PollInput;
  remaining: () => number;
  end: (output: PollOutput) => void;
  fail: (error: Error) => void;
}

/** Environments whose invocations last until the test ends them. */
async function environments() {
  const loaded: number[] = [];
  const invocations: Invocation[] = [];
  const invoke = await createEnvironments(async (environment): Promise<PollHandler> => {
    loaded.push(environment);
    return (input, { awsRequestId, getRemainingTimeInMillis }) =>
      new Promise((end, fail) => {
        invocations.push({ environment, name: awsRequestId, input, remaining: getRemainingTimeInMillis, end, fail });
      });
  });
  /** Begins an invocation; resolves once the function is at work. */
  const begin = async (stop: AbortSignal = never) => {
    const count = invocations.length;
    const done = invoke({}, stop);
    done.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(invocations).toHaveLength(count + 1);
    return { ...(invocations[count] as Invocation), done };
  };
  return { loaded, begin, invoke, invocations };
}

describe("execution environments", () => {
  it("are one as long as invocations follow each other: what the module remembers is there again", async () => {
    const { loaded, begin } = await environments();
    // Its start is no part of the first invocation.
    expect(loaded).toEqual([1]);
    for (let i = 0; i < 3; i += 1) {
      const { environment, end, done } = await begin();
      expect(environment).toBe(1);
      end(nothing);
      expect(await done).toBe(nothing);
    }
    expect(loaded).toEqual([1]);
  });

  it("are one for each invocation at work, by a name of its own, and those that are free are used again", async () => {
    const { loaded, begin } = await environments();
    const [first, second, third] = [await begin(), await begin(), await begin()];
    expect([first, second, third].map(({ name }) => name)).toEqual(["local-1", "local-2", "local-3"]);
    expect(loaded).toEqual([1, 2, 3]);

    second.end(nothing);
    await second.done;
    expect((await begin()).environment).toBe(2);

    expect((await begin()).environment).toBe(4);
  });

  it("are used again also after an invocation that failed", async () => {
    const { loaded, begin } = await environments();
    const first = await begin();
    first.fail(new Error("no list"));
    await expect(first.done).rejects.toThrow("no list");
    expect((await begin()).environment).toBe(1);
    expect(loaded).toEqual([1]);
  });

  it("hand on what the function is invoked with", async () => {
    const { invoke, invocations } = await environments();
    const input: PollInput = { source: "main", operation: { kind: "describe" } };
    void invoke(input, never);
    await vi.advanceTimersByTimeAsync(0);
    expect(invocations[0]?.input).toEqual(input);
  });
});

describe("the time of an invocation", () => {
  it("is Lambda's fifteen minutes, each invocation its own", async () => {
    const { begin } = await environments();
    const first = await begin();
    expect(first.remaining()).toBe(15 * MINUTE);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(first.remaining()).toBe(5 * MINUTE);
    const second = await begin();
    expect(second.remaining()).toBe(15 * MINUTE);
  });

  it("is over at once when the run is to stop: nothing more is begun", async () => {
    const { begin } = await environments();
    const stop = new AbortController();
    const { remaining } = await begin(stop.signal);
    expect(remaining()).toBe(15 * MINUTE);
    stop.abort();
    expect(remaining()).toBe(0);
  });
});
