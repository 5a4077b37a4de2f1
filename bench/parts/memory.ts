import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createTable, statePort } from "../polling/state.ts";
import { serveState } from "../support/remote-state.ts";
import { atMost, type Findings, told } from "../support/row.ts";
import { startService } from "../support/service.ts";

// Peak memory of a process that drains a survey, its state and the service in other processes.

const SIZES = [2_000, 20_000, 200_000];
const MB = 1024 * 1024;
/** What fits a function of 256 MB: left alone, V8 lets garbage grow to a share of what the machine has. */
const SMALL_FUNCTION = ["--max-semi-space-size=12", "--max-old-space-size=230"];
/** As the functions have it: see ../../infra/survey-poller.ts. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: "1" };

async function peakOf(responses: number): Promise<number> {
  const service = await startService({ surveys: { 101: responses } });
  const child = fork(join(import.meta.dirname, "../support/memory-process.ts"), [service.url], {
    serialization: "advanced",
    execArgv: SMALL_FUNCTION,
    env: { ...process.env, ...ENVIRONMENT },
  });
  const table = createTable(Date.now);
  const { promise, resolve } = Promise.withResolvers<{ emitted: number; peak: number }>();
  serveState(child, statePort(table, Date.now), resolve);
  const outcome = await Promise.race([
    promise,
    once(child, "exit").then(([code]) => {
      throw new Error(`the poller's process ended with ${code}`);
    }),
  ]);
  child.kill();
  service.stop();
  if (outcome.emitted !== responses) throw new Error(`${outcome.emitted} of ${responses} responses were emitted`);
  return outcome.peak;
}

/** Bytes that reading a list of so many surveys adds to a process. */
async function listTakes(surveys: number): Promise<number> {
  const service = await startService({
    surveys: Object.fromEntries(Array.from({ length: surveys }, (_, i) => [i + 1, 1])),
  });
  const child = fork(join(import.meta.dirname, "../support/list-process.ts"), [service.url], {
    execArgv: SMALL_FUNCTION,
    env: { ...process.env, ...ENVIRONMENT },
  });
  const [{ listed, bytes }] = (await once(child, "message")) as [{ listed: number; bytes: number }];
  service.stop();
  if (listed !== surveys) throw new Error(`${listed} of ${surveys} surveys were listed`);
  return bytes;
}

export async function run(): Promise<Findings> {
  const points: { series: string; x: number; y: number }[] = [];
  for (const x of SIZES) points.push({ series: "the poller's process", x, y: (await peakOf(x)) / MB });
  const [small = Number.NaN, , large = Number.NaN] = points.map(({ y }) => y);
  return {
    rows: [
      atMost("peak memory draining 200,000, of that draining 2,000", large / small, 1.2),
      atMost("  of the whole process, in MB", large, 256, 0),
      told("  draining 2,000", `${small.toFixed(0)} MB`),
      told("  that a list of 10,000 surveys takes", `${((await listTakes(10_000)) / MB).toFixed(0)} MB`),
    ],
    plots: [
      {
        name: "memory",
        title: "Peak memory while a survey is caught up",
        kind: "lines",
        x: "responses caught up",
        y: "MB",
        points,
      },
    ],
  };
}
