import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { endless, type Outcome } from "../history.ts";
import type { Cuts } from "../plan/chooser.ts";
import type { PoolWork } from "./pool-worker.ts";

export interface PoolOptions {
  /** Folder of the simulation whose code is run: its own, or a copy. */
  root?: string;
  seed: number;
  seeds: number;
  cuts: Cuts;
  /** Called with each outcome; false stops. */
  take: (outcome: Outcome) => boolean;
}

/**
 * Milliseconds after which a history is taken for one without an end, which no thread comes back from by itself. One takes a second at most, and some more
 * on a machine that has other things to do.
 */
const PATIENCE = 60_000;

/** Runs histories on all cores. */
export async function runPool(options: PoolOptions): Promise<void> {
  const { root = join(import.meta.dirname, ".."), seed, seeds, cuts, take } = options;
  const threads = Math.min(availableParallelism(), seeds);
  let next = seed;
  let stopped = false;

  const nextSeed = (): number | undefined => {
    if (stopped || next >= seed + seeds) return undefined;
    next += 1;
    return next - 1;
  };

  /** Runs one history after the other until none is left, or one has no end. */
  const runThread = (): Promise<"done" | "endless"> =>
    new Promise((resolve, reject) => {
      const workerData: PoolWork = { root, cuts };
      // Most of what a history makes is garbage a moment later.
      const resourceLimits = { maxYoungGenerationSizeMb: 128 };
      const worker = new Worker(new URL("./pool-worker.ts", import.meta.url), { workerData, resourceLimits });
      let watch: NodeJS.Timeout | undefined;
      let isEndless = false;
      const give = (): void => {
        const one = nextSeed();
        worker.postMessage(one);
        if (one === undefined) return;
        watch = setTimeout(() => {
          isEndless = true;
          stopped ||= !take(endless(one, `it has not come to its end within ${PATIENCE / 1000} s`));
          void worker.terminate();
        }, PATIENCE);
      };
      worker.on("message", (outcome: Outcome) => {
        clearTimeout(watch);
        stopped ||= !take(outcome);
        give();
      });
      worker.on("error", reject);
      worker.on("exit", () => {
        clearTimeout(watch);
        resolve(isEndless ? "endless" : "done");
      });
      give();
    });

  const runThreads = async (): Promise<void> => {
    while ((await runThread()) === "endless") {
      // Another thread goes on with the next seed.
    }
  };

  await Promise.all(Array.from({ length: threads }, runThreads));
}
