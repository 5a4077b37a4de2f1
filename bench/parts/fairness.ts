import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEnvironments } from "../../local/runner/environments.ts";
import { loadFunction } from "../../local/runner/load-function.ts";
import { runConfiguration } from "../../local/runner/run-configuration.ts";
import { runTicks } from "../../local/runner/tick-loop.ts";
import { type AwsProcess, startAws } from "../support/aws.ts";
import { percentile } from "../support/measure.ts";
import { pollEnvironments } from "../support/poll-environment.ts";
import { atMost, type Findings, told } from "../support/row.ts";
import { startService } from "../support/service.ts";

// New responses of one survey while another one catches up 200,000: the function as it is deployed, invoked at each interval,
// also while an earlier invocation is at work. Each execution environment is a process of its own, on this machine.

const LARGE = 1;
const SMALL = 2;
const BACKLOG = 200_000;
const INTERVAL = 2_000;
const TRIALS = 100;

export async function run(): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-fairness-"));
  const aws = await startAws(SMALL);
  const service = await startService({ surveys: { [LARGE]: BACKLOG, [SMALL]: 10 }, latency: 5 });
  const configuration = runConfiguration({ baseUrl: service.url, interval: INTERVAL, startFrom: "beginning" } as never);
  const bench = { clientId: "bench", clientSecret: "bench" };
  await loadFunction(configuration, { dataDir: folder, aws: {} }, () => bench);
  const environments = pollEnvironments(join(folder, "bundle", "poll", "index.mjs"));
  const invoke = await createEnvironments(environments.load);
  const stop = new AbortController();
  const view = { totals: { emitted: 0, waiting: 0, withheld: 0 }, say: () => {} };
  const ticking = runTicks({ invoke, ticks: undefined, interval: INTERVAL, stop: stop.signal, view });
  try {
    await untilEvent(aws, (times) => Object.keys(times).length >= 10);
    const delays: number[] = [];
    for (let trial = 0; trial < TRIALS; trial += 1) {
      // At another moment between two ticks each time.
      await sleep((trial * 618) % INTERVAL);
      const { responseId, at } = await service.complete(SMALL);
      const times = await untilEvent(aws, (seen) => seen[responseId] !== undefined);
      delays.push((times[responseId] ?? Number.NaN) - at);
    }
    const { events } = await aws.figures();
    const rows = [
      atMost(
        "seconds to a new response beside a catch-up of 200,000, interval 2 s, p99",
        percentile(delays, 0.99) / 1000,
        2,
      ),
      told(
        "  median, worst",
        `${(percentile(delays, 0.5) / 1000).toFixed(2)} s, ${(Math.max(...delays) / 1000).toFixed(2)} s`,
      ),
      told("  of the catch-up meanwhile", `${events - TRIALS} events`),
    ];
    const points = delays
      .toSorted((a, b) => a - b)
      .map((delay, i) => ({ series: "beside a catch-up of 200,000", x: (100 * (i + 1)) / TRIALS, y: delay / 1000 }));
    const title = "From the completion of a response to its event, interval 2 s";
    return {
      rows,
      plots: [{ name: "fairness", title, kind: "lines", x: "% of the responses", y: "seconds at most", points }],
    };
  } finally {
    stop.abort();
    // It would wait for the catch-up to end.
    void ticking.catch(() => undefined);
    environments.stop();
    aws.stop();
    service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function untilEvent(
  aws: AwsProcess,
  isThere: (times: Record<string, number>) => boolean,
): Promise<Record<string, number>> {
  for (;;) {
    const { times } = await aws.figures();
    if (isThere(times)) return times;
    await sleep(20);
  }
}
