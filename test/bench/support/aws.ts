import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface AwsFigures {
  /** Events that the bus has accepted. */
  events: number;
  /** Requests by `service:operation`. */
  counters: Record<string, number>;
}

/** The embedded AWS in a process of its own, which this one talks to from now on. */
export interface AwsProcess {
  figures(): Promise<AwsFigures>;
  stop(): void;
}

export async function startAws(): Promise<AwsProcess> {
  const child = fork(join(import.meta.dirname, "aws-process.ts"), {
    // Its store is asked for one short thing after the other: four threads only get in each other's way on two cores.
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  const [{ env }] = (await once(child, "message")) as [{ env: Record<string, string> }];
  Object.assign(process.env, env);
  return {
    async figures() {
      child.send({ kind: "figures" });
      const [figures] = (await once(child, "message")) as [AwsFigures];
      return figures;
    },
    stop: () => child.disconnect(),
  };
}
