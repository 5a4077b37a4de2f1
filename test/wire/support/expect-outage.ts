import { join } from "node:path";
import { expect } from "vitest";
import type { Fault } from "../../support/aws/faults.ts";
import type { RunningCommand } from "../../support/command.ts";
import { compareWithTruth } from "./compare-with-truth.ts";
import { expectLedger } from "./expect-books.ts";
import { expectClearOutput } from "./expect-clear-output.ts";
import { expectSameContents } from "./expect-same-contents.ts";
import { livedService } from "./lived-service.ts";
import { leaks, type PolledService } from "./polled-service.ts";
import { readHits, scripted } from "./script.ts";
import { readClaimed, withAws } from "./with-aws.ts";

export interface Outage {
  /** Faults of the embedded AWS that last until the outage is over. */
  faults?: readonly Fault[];
  /** Arranges for what else goes wrong; gives the address to poll, if it is another one, and how the outage ends. */
  begin?: (service: PolledService) => Promise<{ url?: string; end?: () => Promise<void> }>;
  /** One line that tells of it, which has to come three times before the outage ends. */
  says: RegExp;
  /** Times that it is said before the outage ends; default three. */
  failures?: number;
  /** Repeats allowed; default none. */
  repeats?: number;
}

const flags = { "start-from": "beginning" };
/** What waited through the outage is due again by then. */
const LATER = 600_000;

/** A command lives through the outage for several ticks, says what is wrong, and goes on by itself; nothing is lost. */
export async function expectOutage({
  faults = [],
  begin,
  says,
  failures: most = 3,
  repeats = 0,
}: Outage): Promise<void> {
  const { service, life, replay } = await livedService();
  const { simulator, folder } = service;
  const hitsFile = join(folder, "hits.json");
  const { url = simulator.url, end } = (await begin?.(service)) ?? {};
  const where = { ...flags, "base-url": url };

  const command = service.start(
    { ...where, ticks: "25", interval: "20ms" },
    { env: scripted({ faults: { list: faults, hitsFile } }), limit: 120_000 },
  );
  await linesOf(command, says, most);
  const emittedSoFar = command.output().stdout;
  await end?.();
  command.kill("SIGUSR2");
  const result = await command.done;

  expect(leaks(simulator, result.stdout + result.stderr), replay).toEqual([]);
  const failures = expectClearOutput(result, replay);
  expect(failures.filter((line) => says.test(line)).length, replay).toBeGreaterThanOrEqual(3);
  for (const [i, hits] of (faults.length === 0 ? [] : readHits(hitsFile)).entries()) {
    expect(hits, `${replay}: ${JSON.stringify(faults[i])}`).toBeGreaterThan(0);
  }
  // It has gone on by itself once the outage was over.
  expect(emittedSoFar, replay).not.toMatch(/^done:/m);
  expect(result.events.length, replay).toBeGreaterThan(90);

  life.end();
  const { events } = await service.poll({ ...where, ticks: "4" }, { env: scripted({ ahead: LATER }) });
  const claimed = await withAws(join(folder, "data"), (aws) => readClaimed(aws, events));
  expect(compareWithTruth(events, simulator.truth(), { repeats, claimed }), replay).toEqual([]);
  expectSameContents(events, replay);
  await expectLedger(service, replay);
}

function linesOf(command: RunningCommand, says: RegExp, count: number): Promise<void> {
  return command.printed(new RegExp(`(?:^(?:${says.source})[^\\n]*\\n[\\s\\S]*?){${count}}`, "m"));
}
