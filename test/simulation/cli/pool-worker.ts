import { parentPort, workerData } from "node:worker_threads";
import type { Outcome } from "../history.ts";
import type { Cuts } from "../plan/chooser.ts";

/** What a thread is given, one seed after the other, and what it tells: the outcome of each, and at the end the lines it has not run. */
export interface PoolWork {
  /** Folder of the simulation whose code is run. */
  root: string;
  cuts: Cuts;
  coverage: boolean;
}

export type PoolMessage = { kind: "outcome"; outcome: Outcome } | { kind: "missed"; missed: [string, number[]][] };

const { root, cuts, coverage } = workerData as PoolWork;
// Before the code under test is loaded.
const lines = coverage ? (await import("./coverage.ts")).startCoverage() : undefined;
const { runHistory } = (await import(`${root}/history.ts`)) as typeof import("../history.ts");

process.on("unhandledRejection", (error) => {
  throw error;
});

parentPort?.on("message", async (seed: number | undefined) => {
  if (seed === undefined) {
    const message: PoolMessage = { kind: "missed", missed: (await lines?.missed()) ?? [] };
    parentPort?.postMessage(message);
    parentPort?.close();
    return;
  }
  const message: PoolMessage = { kind: "outcome", outcome: await runHistory(seed, { cuts }) };
  parentPort?.postMessage(message);
});
