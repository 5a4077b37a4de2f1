import { parentPort, workerData } from "node:worker_threads";
import type { Outcome } from "../history.ts";
import type { Cuts } from "../plan/chooser.ts";

/** What a thread is given, and what it tells: outcomes in the order of seeds, then the lines it has not run. */
export interface PoolWork {
  /** Folder of the simulation whose code is run. */
  root: string;
  cuts: Cuts;
  coverage: boolean;
}

export type PoolMessage = { kind: "outcomes"; outcomes: Outcome[] } | { kind: "missed"; missed: [string, number[]][] };

const { root, cuts, coverage } = workerData as PoolWork;
// Before the code under test is loaded.
const lines = coverage ? (await import("./coverage.ts")).startCoverage() : undefined;
const { runHistory } = (await import(`${root}/history.ts`)) as typeof import("../history.ts");

process.on("unhandledRejection", (error) => {
  throw error;
});

parentPort?.on("message", async (seeds: number[]) => {
  if (seeds.length === 0) {
    const message: PoolMessage = { kind: "missed", missed: (await lines?.missed()) ?? [] };
    parentPort?.postMessage(message);
    parentPort?.close();
    return;
  }
  const outcomes: Outcome[] = [];
  for (const seed of seeds) outcomes.push(await runHistory(seed, { cuts }));
  const message: PoolMessage = { kind: "outcomes", outcomes };
  parentPort?.postMessage(message);
});
