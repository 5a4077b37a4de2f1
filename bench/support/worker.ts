import { fork } from "node:child_process";
import { join } from "node:path";

/** The worker function at the work queue, in a process of its own and with the environment of this one. */
export function startWorker(queueUrl: string, folder: string, configuration: unknown): { stop(): void } {
  const child = fork(
    join(import.meta.dirname, "worker-process.ts"),
    [queueUrl, folder, JSON.stringify(configuration)],
    {
      // Others hold leases too.
      env: { ...process.env, ALONE: undefined },
    },
  );
  return { stop: () => child.disconnect() };
}
