import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Outcome } from "../history.ts";
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
  /** Called with each batch of outcomes; false stops. */
  take: (outcomes: Outcome[]) => boolean;
}

/** Histories given to a thread at once. */
const BATCH = 8;

/** Runs histories on all cores. Gives the lines that no thread has run, by file, if they were asked for. */
export async function runPool(options: PoolOptions): Promise<Map<string, Set<number>>> {
  const { root = join(import.meta.dirname, ".."), seed, seeds, cuts, coverage = false, take } = options;
  const threads = Math.min(options.threads ?? availableParallelism(), Math.ceil(seeds / BATCH));
  const missed = new Map<string, Set<number>>();
  let next = seed;
  let stopped = false;

  const batch = (): number[] => {
    const first = next;
    next = stopped ? next : Math.min(next + BATCH, seed + seeds);
    return Array.from({ length: next - first }, (_, i) => first + i);
  };

  const runThread = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const workerData: PoolWork = { root, cuts, coverage };
      // Most of what a history makes is garbage a moment later.
      const resourceLimits = { maxYoungGenerationSizeMb: 128 };
      const worker = new Worker(new URL("./pool-worker.ts", import.meta.url), { workerData, resourceLimits });
      worker.on("message", (message: PoolMessage) => {
        if (message.kind === "missed") return both(missed, message.missed);
        stopped ||= !take(message.outcomes);
        worker.postMessage(batch());
      });
      worker.on("error", reject);
      worker.on("exit", () => resolve());
      worker.postMessage(batch());
    });

  await Promise.all(Array.from({ length: threads }, runThread));
  return missed;
}

/** A line is missed if no thread has run it. */
function both(into: Map<string, Set<number>>, more: [string, number[]][]): void {
  for (const [file, lines] of more) {
    const before = into.get(file);
    into.set(file, new Set(before === undefined ? lines : lines.filter((line) => before.has(line))));
  }
}
