import type { PollInput } from "../../run/poll-input.ts";
import type { PollOutput } from "../../run/poll-sources.ts";
import { FunctionError, type FunctionThread } from "./function-thread.ts";

/** Invokes the function once; once `stop` is aborted no time is left but to bring the state home. */
export type Invoke = (input: PollInput, stop: AbortSignal) => Promise<PollOutput>;

/**
 * The function of a run, as Lambda invokes it: an execution environment has one invocation at a time, and is used again. Where all are at
 * work there is a new one.
 */
export interface LocalFunction {
  invoke: Invoke;
  /** Ends it where it stands, as kill -9 does; the next invocation begins anew. Gives how many were at work. */
  kill(): Promise<number>;
}

/**
 * Loads the function: no time of the first invocation goes with that.
 *
 * @param start makes a new execution environment
 */
export async function createLocalFunction(start: () => FunctionThread): Promise<LocalFunction> {
  /** Each by a name that is the same for all runs: the data folder's lock proves that whoever held a lease by this name is gone. */
  const names = new Map<FunctionThread, string>();
  let idle: FunctionThread[] = [];
  let killed: Promise<unknown> = Promise.resolve();
  let made = 0;

  function make(): FunctionThread {
    made += 1;
    const thread = start();
    names.set(thread, `local-${made}`);
    return thread;
  }

  const first = make();
  await first.loaded;
  idle.push(first);
  return {
    async invoke(input, stop) {
      await killed;
      const thread = idle.pop() ?? make();
      try {
        return (await thread.invoke(input, stop, names.get(thread))) as PollOutput;
      } catch (error) {
        // Anything else than an error that the function threw is the end of its thread.
        if (!(error instanceof FunctionError)) names.delete(thread);
        throw error;
      } finally {
        if (names.has(thread)) idle.push(thread);
      }
    },
    async kill() {
      const closed = Promise.all([...names.keys()].map((thread) => thread.close()));
      names.clear();
      idle = [];
      made = 0;
      killed = closed;
      return (await closed).filter(Boolean).length;
    },
  };
}
