import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { PollInput } from "../../lib/run/poll-input.ts";
import type { PollOutput } from "../../lib/run/poll-sources.ts";
import type { PollHandler } from "../../local/runner/environments.ts";

/** What the process is told of an invocation. */
export interface Invocation {
  input: PollInput;
  awsRequestId: string;
  /** Epoch milliseconds at which its time is up. */
  until: number;
}

/** The bundled function in processes of their own, with the environment of this one, as Lambda runs them beside each other. */
export interface PollEnvironments {
  /** Loads it in one more process. */
  load: () => Promise<PollHandler>;
  /** Ends all of them, whatever they are at. */
  stop: () => void;
}

/** @param file the bundle */
export function pollEnvironments(file: string): PollEnvironments {
  const ends: (() => void)[] = [];
  return {
    async load() {
      const child = fork(join(import.meta.dirname, "poll-process.ts"), [file]);
      ends.push(() => void child.kill());
      await once(child, "message");
      return async (input, { awsRequestId, getRemainingTimeInMillis }) => {
        child.send({ input, awsRequestId, until: Date.now() + getRemainingTimeInMillis() } satisfies Invocation);
        const [answer] = (await once(child, "message")) as [{ output: PollOutput } | { error: string }];
        if ("error" in answer) throw new Error(answer.error);
        return answer.output;
      };
    },
    stop() {
      for (const end of ends) end();
    },
  };
}
