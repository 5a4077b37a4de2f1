import { dirname, resolve } from "node:path";
import type { PollOutput } from "../../run/poll-sources.ts";
import type { PollHandler } from "./environments.ts";
import { type FunctionThread, startFunction } from "./function-thread.ts";

/** Execution environments that are threads of their own: one can be ended at any moment, as a process by kill -9. */
export interface KillableFunction {
  load(file: string): (number: number) => Promise<PollHandler>;
  /** Ends all threads where they stand; the next invocations start new ones. Gives how many were at work. */
  kill(): Promise<number>;
}

const NEVER = new AbortController().signal;

export function createKillableFunction(): KillableFunction {
  const threads = new Set<FunctionThread>();
  const start = (file: string): FunctionThread => {
    const variables = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    // The bundle lies two folders below the data folder.
    const bundle = dirname(file);
    const thread = startFunction(bundle, Object.fromEntries(variables), resolve(bundle, "../.."));
    threads.add(thread);
    return thread;
  };
  return {
    load: (file) => async () => {
      let thread = start(file);
      return async (input, { awsRequestId, stop = NEVER }) => {
        if (!threads.has(thread)) thread = start(file);
        return (await thread.invoke(input, stop, awsRequestId)) as PollOutput;
      };
    },
    async kill() {
      const all = [...threads];
      threads.clear();
      const wereAtWork = await Promise.all(all.map((thread) => thread.close()));
      return wereAtWork.filter(Boolean).length;
    },
  };
}
