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

interface Environment {
  name: string;
  thread: FunctionThread;
}

/**
 * Loads the function: no time of the first invocation goes with that.
 *
 * @param start makes a new execution environment
 */
export async function createLocalFunction(start: () => FunctionThread): Promise<LocalFunction> {
  const all = new Set<Environment>();
  let idle: Environment[] = [];
  let made = 0;
  let killed: Promise<unknown> = Promise.resolve();

  function make(): Environment {
    made += 1;
    // The same for all runs: the data folder's lock proves that whoever held a lease by this name is gone.
    const environment = { name: `local-${made}`, thread: start() };
    all.add(environment);
    return environment;
  }

  const first = make();
  await first.thread.loaded;
  idle.push(first);
  return {
    async invoke(input, stop) {
      await killed;
      const environment = idle.pop() ?? make();
      try {
        return (await environment.thread.invoke(input, stop, environment.name)) as PollOutput;
      } catch (error) {
        // Anything else than an error that the function threw is the end of its thread.
        if (!(error instanceof FunctionError)) all.delete(environment);
        throw error;
      } finally {
        if (all.has(environment)) idle.push(environment);
      }
    },
    async kill() {
      const threads = [...all].map(({ thread }) => thread);
      all.clear();
      idle = [];
      made = 0;
      const closed = Promise.all(threads.map((thread) => thread.close()));
      killed = closed;
      return (await closed).filter(Boolean).length;
    },
  };
}
