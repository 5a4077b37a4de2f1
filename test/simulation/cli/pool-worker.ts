import { parentPort, workerData } from "node:worker_threads";
import type { Cuts } from "../plan/chooser.ts";

/** What a thread is given beside one seed after the other; it tells the outcome of each. */
export interface PoolWork {
  /** Folder of the simulation whose code is run. */
  root: string;
  cuts: Cuts;
}

const { root, cuts } = workerData as PoolWork;
const { runHistory } = (await import(`${root}/history.ts`)) as typeof import("../history.ts");

parentPort?.on("message", async (seed: number | undefined) => {
  if (seed === undefined) parentPort?.close();
  else parentPort?.postMessage(await runHistory(seed, { cuts }));
});
