import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { besideBare, CONCURRENCY } from "../support/bare-client.ts";
import { atLeast, atMost, type Drained, perSecond, type Row, told } from "../support/measure.ts";
import type { ServiceProcess } from "../support/service.ts";

// The first import as a user makes it: `npm start` against a service with a history, in one run with a client that keeps no state and emits nothing.

const ROOT = join(import.meta.dirname, "../../..");
/** What `npm start` gives Node. */
const START = manifest.scripts.start.split(" ").slice(1);
/** Milliseconds between two looks at the memory of the process. */
const LOOK_EVERY = 200;

interface Imported extends Drained {
  requests: number;
  isClosed: boolean;
  /** Largest resident memory that was seen, in MB; undefined where the system does not tell. */
  memory: number | undefined;
}

/** From the first page read to the last event. */
async function imported(service: ServiceProcess): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  const [config, events] = [join(folder, "config.json"), join(folder, "events.ndjson")];
  const source = { baseUrl: service.url, advanced: { concurrency: CONCURRENCY }, timeZone: "UTC" };
  writeFileSync(config, JSON.stringify(source));
  const places = ["--config", config, "--data", folder, "--events", events];
  const options = "--ticks 1 --interval 60s --start-from beginning --no-console".split(" ");
  const child = spawn(process.execPath, [...START, ...places, ...options], {
    cwd: ROOT,
    env: { ...process.env, SURVEY_CLIENT_ID: "bench", SURVEY_CLIENT_SECRET: "bench" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  let memory: number | undefined;
  const looking = setInterval(() => {
    memory = Math.max(memory ?? 0, memoryOf(child.pid) ?? 0) || undefined;
  }, LOOK_EVERY);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(looking);
  const firstPageAt = await service.firstPageAt();
  const lastEventAt = statSync(events).mtimeMs;
  const responses = readFileSync(events, "utf8").split('"response.completed"').length - 1;
  rmSync(folder, { recursive: true });
  if (code !== 0 || firstPageAt === undefined) throw new Error(`the import ended with ${code}: ${said}`);
  return {
    responses,
    seconds: (lastEventAt - firstPageAt) / 1_000,
    cpu: 0,
    requests: (await service.requests()) / responses,
    isClosed: /books: closed/.test(said),
    memory,
  };
}

function memoryOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
  } catch {
    return undefined;
  }
}

async function compared(responses: number, latency: number, least: number): Promise<Row[]> {
  const { bare, poller: run } = await besideBare(responses, latency, imported);
  const what = `import of ${responses.toLocaleString("en-US")} at ${latency} ms`;
  return [
    atLeast(`${what}, of a bare client`, perSecond(run) / perSecond(bare), least),
    told("  npm start, bare client", `${perSecond(run).toFixed(0)} and ${perSecond(bare).toFixed(0)} responses/s`),
    atMost("  requests a response", run.requests, 2.12, 3),
    atLeast("  surveys whose books are closed at the end", Number(run.isClosed), 1, 0),
    ...(run.memory === undefined ? [] : [atMost("  memory of the process, in MB", run.memory, 300, 0)]),
  ];
}

export async function run(): Promise<Row[]> {
  return [
    ...(await compared(5_000, 50, 0.8)),
    ...(await compared(10_000, 50, 0.85)),
    ...(await compared(5_000, 5, 0.35)),
    ...(await compared(10_000, 5, 0.35)),
  ];
}
