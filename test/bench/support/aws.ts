import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The embedded AWS in a process of its own, which this one talks to from now on. */
export async function startAws() {
  const child = fork(join(import.meta.dirname, "aws-process.ts"), {
    // Its store is asked for one short thing after the other: four threads only get in each other's way on two cores.
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  const [{ env }] = (await once(child, "message")) as [{ env: Record<string, string> }];
  Object.assign(process.env, env);
  return {
    /** Events that the bus has accepted, and requests by `service:operation`. */
    async figures(): Promise<{ events: number; counters: Record<string, number> }> {
      child.send({ kind: "figures" });
      return (await once(child, "message"))[0];
    },
    stop: () => child.disconnect(),
  };
}
