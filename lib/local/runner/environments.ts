import type { PollInput } from "../../run/poll-input.ts";
import type { PollOutput } from "../../run/poll-sources.ts";

/** The function as Lambda would call it. */
export type PollHandler = (
  input: PollInput,
  /** `stop` is no part of Lambda's: once it is aborted, no time is left but to bring the state home. */
  context: { awsRequestId: string; getRemainingTimeInMillis(): number; stop?: AbortSignal },
) => Promise<PollOutput>;

/** Invokes the function once; `stop`: once it is aborted no time is left but to bring the state home. */
export type Invoke = (input: PollInput, stop: AbortSignal) => Promise<PollOutput>;

/** Lambda's own limit, in milliseconds. */
export const INVOCATION_TIME = 15 * 60_000;

/**
 * Invocations as Lambda makes them. An execution environment has one at a time, and is used again. Where all are at work there is a new
 * one.
 *
 * @param load makes a new environment: the module of the function, loaded once more, the how many-th time
 */
export async function createEnvironments(load: (number: number) => Promise<PollHandler>): Promise<Invoke> {
  let made = 0;
  const make = async (): Promise<{ handler: PollHandler; name: string }> => {
    made += 1;
    // The same for all runs: the data folder's lock proves that whoever held a lease by this name is gone.
    const name = `local-${made}`;
    return { handler: await load(made), name };
  };
  const idle = [await make()];
  return async (input, stop) => {
    const until = performance.now() + INVOCATION_TIME;
    const environment = idle.pop() ?? (await make());
    try {
      return await environment.handler(input, {
        awsRequestId: environment.name,
        getRemainingTimeInMillis: () => (stop.aborted ? 0 : Math.floor(until - performance.now())),
        stop,
      });
    } finally {
      idle.push(environment);
    }
  };
}
