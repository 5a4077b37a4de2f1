import { dirname, resolve } from "node:path";
import { PollerError } from "../../lib/errors.ts";
import type { PollOutput } from "../../lib/run/poll-sources.ts";
import type { PollHandler } from "./environments.ts";
import { type FunctionThread, startFunction } from "./function-thread.ts";

/** The function was killed while it was at work. */
export class FunctionKilledError extends PollerError {
  readonly code = "FUNCTION_KILLED";
}

/** Execution environments that are threads of their own: one can be ended at any moment, as a process by kill -9. */
export interface KillableFunction {
  load(file: string): (number: number) => Promise<PollHandler>;
  /** Ends all threads where they stand; the next invocations start new ones. Gives how many were at work. */
  kill(): Promise<number>;
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

interface Slot {
  thread: FunctionThread;
  atWork: Set<(error: Error) => void>;
}

export function createKillableFunction(): KillableFunction {
  const slots = new Set<Slot>();
  const starting = (file: string): Slot => {
    const variables = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    // The bundle lies two folders below the data folder.
    const [bundle, dataDir] = [dirname(file), resolve(dirname(file), "../..")];
    const thread = startFunction(bundle, Object.fromEntries(variables), dataDir);
    const slot = { thread, atWork: new Set<never>() };
    slots.add(slot);
    return slot;
  };
  const end = async (): Promise<void> => {
    const all = [...slots];
    slots.clear();
    await Promise.all(all.map(({ thread }) => thread.close()));
  };
  return {
    load: (file) => async () => {
      let slot: Slot = starting(file);
      return async (input, { awsRequestId, stop = NEVER }) => {
        if (!slots.has(slot)) slot = starting(file);
        const { atWork, thread } = slot;
        const killed = Promise.withResolvers<never>();
        atWork.add(killed.reject);
        try {
          return (await Promise.race([thread.invoke(input, stop, awsRequestId), killed.promise])) as PollOutput;
        } finally {
          atWork.delete(killed.reject);
        }
      };
    },
    async kill() {
      const rejects = [...slots].flatMap(({ atWork }) => [...atWork]);
      // Only once the threads are gone may anything follow them.
      await end();
      const hint = "Nothing is lost: the next tick goes on where this one stopped.";
      for (const reject of rejects) reject(new FunctionKilledError("the poller was killed", { hint }));
      return rejects.length;
    },
    close: end,
  };
}
