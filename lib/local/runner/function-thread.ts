import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { CommandError } from "../../cli/errors.ts";
import { PollerError } from "../../errors.ts";
import type { PollInput } from "../../run/poll-input.ts";
import type { PollOutput } from "../../run/poll-sources.ts";
import type { Invocation, InvocationEnd, Told } from "./function-worker.ts";

/** An error that the function threw, as it came out of its thread. */
export class FunctionError extends PollerError {
  readonly code: string;
  constructor(code: string, message: string, hint: string) {
    super(message, { hint });
    this.code = code;
  }
}

/** The function that a run has bundled, ready to be invoked one time after the other. */
export type FunctionThread = ReturnType<typeof startFunction>;

/**
 * Starts the function of a bundle in a thread.
 *
 * @param variables all of its environment
 * @param dataDir the folder whose log file takes its lines
 */
export function startFunction(bundle: string, variables: Record<string, string>, dataDir: string) {
  const file = pathToFileURL(join(bundle, "index.mjs")).href;
  const worker = new Worker(new URL("./function-worker.ts", import.meta.url), {
    env: variables,
    workerData: { file, dataDir },
    stdout: true,
  });
  worker.stdout.resume();
  worker.setMaxListeners(0);
  const loading = Promise.withResolvers<void>();
  loading.promise.catch(() => undefined);
  let underWay: PromiseWithResolvers<InvocationEnd> | undefined;
  /** The end of the thread, also between two invocations. */
  let broken: Error | undefined;
  worker.on("message", (message: "loaded" | InvocationEnd | Told[]) => {
    if (message === "loaded") loading.resolve();
    else if (Array.isArray(message))
      for (const told of message) channel(told.channel).publish({ ...told.message, at: told.at });
    else underWay?.resolve(message);
  });
  worker.on("error", (error: Error) => {
    broken = error;
    loading.reject(error);
    underWay?.reject(error);
  });
  return {
    /** Resolves once the code is loaded. */
    loaded: loading.promise,
    /** Once `stop` is aborted no time is left but to bring the state home. */
    async invoke(input: object, stop: AbortSignal, requestId = `command-${randomUUID()}`): Promise<unknown> {
      if (broken !== undefined) throw broken;
      underWay = Promise.withResolvers();
      const halt = (): void => worker.postMessage("stop");
      stop.addEventListener("abort", halt);
      worker.postMessage({ input, requestId } satisfies Invocation);
      if (stop.aborted) halt();
      try {
        const end = await underWay.promise;
        if ("output" in end) return end.output;
        throw new FunctionError(end.error.code, end.error.message, end.error.hint);
      } finally {
        underWay = undefined;
        stop.removeEventListener("abort", halt);
      }
    },
    /** Ends it where it stands, as a process by kill -9. Says whether it was at work. */
    async close(): Promise<boolean> {
      // Only once the thread is gone may anything follow it.
      await worker.terminate();
      const hint = "Nothing is lost: the next tick goes on where this one stopped.";
      underWay?.reject(new CommandError("FUNCTION_KILLED", "the poller was killed", { hint }));
      return underWay !== undefined;
    },
  };
}

/** The function of a run, as Lambda invokes it. */
export type LocalFunction = Awaited<ReturnType<typeof createLocalFunction>>;
export type Invoke = LocalFunction["invoke"];

/**
 * Loads the function: no time of the first invocation goes with that. An execution environment has one invocation at a time, and is used again. Where
 * all are at work there is a new one.
 *
 * @param start makes a new execution environment
 */
export async function createLocalFunction(start: () => FunctionThread) {
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
    /** Invokes the function once; once `stop` is aborted no time is left but to bring the state home. */
    async invoke(input: PollInput, stop: AbortSignal): Promise<PollOutput> {
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
    /** Ends it where it stands, as kill -9 does; the next invocation begins anew. Gives how many were at work. */
    async kill(): Promise<number> {
      const closed = Promise.all([...names.keys()].map((thread) => thread.close()));
      names.clear();
      idle = [];
      made = 0;
      killed = closed;
      return (await closed).filter(Boolean).length;
    },
  };
}
