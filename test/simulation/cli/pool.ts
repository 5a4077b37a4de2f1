import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { endless, type Outcome } from "../history.ts";
import type { Cuts } from "../plan/chooser.ts";
import type { PoolMessage, PoolWork } from "./pool-worker.ts";

export interface PoolOptions {
  /** Folder of the simulation whose code is run: its own, or a copy. */
  root?: string;
  seed: number;
  seeds: number;
  cuts: Cuts;
  coverage?: boolean;
  threads?: number;
  /** Milliseconds after which a history is taken for one without an end, which no thread comes back from by itself. */
  patience?: number;
  /** Called with each outcome; false stops. */
  take: (outcome: Outcome) => boolean;
}

/** A history takes a second at most, and some more on a machine that has other things to do. */
const PATIENCE = 60_000;

/** Runs histories on all cores. Gives the lines that no thread has run, by file, if they were asked for. */
export async function runPool(options: PoolOptions): Promise<Map<string, Set<number>>> {
  const {
    root = join(import.meta.dirname, ".."),
    seed,
    seeds,
    cuts,
    coverage = false,
    patience = PATIENCE,
    take,
  } = options;
  const threads = Math.min(options.threads ?? availableParallelism(), seeds);
  const missed = new Map<string, Set<number>>();
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
      const workerData: PoolWork = { root, cuts, coverage };
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
          stopped ||= !take(endless(one, `it has not come to its end within ${patience / 1000} s`));
          void worker.terminate();
        }, patience);
      };
      worker.on("message", (message: PoolMessage) => {
        clearTimeout(watch);
        if (message.kind === "missed") return both(missed, message.missed);
        stopped ||= !take(message.outcome);
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
  return missed;
}

/** A line is missed if no thread has run it. */
function both(into: Map<string, Set<number>>, more: [string, number[]][]): void {
  for (const [file, lines] of more) {
    const before = into.get(file);
    into.set(file, new Set(before === undefined ? lines : lines.filter((line) => before.has(line))));
  }
}
