import { join } from "node:path";
import { expect, vi } from "vitest";
import { createRandom } from "../../../lib/local/simulator/hashing.ts";
import type { Fault } from "../../support/aws/faults.ts";
import type { CommandResult } from "../../support/command.ts";
import { busyLife } from "./busy-life.ts";
import { compareWithTruth } from "./compare-with-truth.ts";
import { expectLedger } from "./expect-books.ts";
import { expectSameContents } from "./expect-same-contents.ts";
import { type PolledService, polledService } from "./polled-service.ts";
import { readHits, scripted } from "./script.ts";
import { chanceOf, seed } from "./seeded.ts";
import { readClaimed, withAws } from "./with-aws.ts";

export interface Trouble {
  /**
   * Of each kind of each service some must meet a request; so with `laterFaults`. One with a probability meets the
   * first request that it may meet for certain, as few requests of a kind might all be spared.
   */
  faults: readonly Fault[];
  /** Faults of the last run, which has to do what was left to wait. */
  laterFaults?: readonly Fault[];
  /** Called before the command starts. */
  prepare?: (service: PolledService) => void;
  /** What at least one of the command's lines about failures says; without it none need be there. */
  says?: RegExp;
  /** Repeats allowed; default: 10 for each publish whose outcome could not be known, or not be written down. */
  repeats?: number;
}

const flags = { "start-from": "beginning" };
const LATER = 600_000;
/** Milliseconds that the run under faults may take, of the time of the test: one that does not end is told with what it wrote. */
const LIMIT = 120_000;
vi.setConfig({ testTimeout: 2 * LIMIT });

/**
 * One history under faults of the embedded AWS, which are spent in its course, and a last run without any: nothing is
 * lost, and a repeat comes only of a publish whose outcome could not be known, or could not be written down.
 */
export async function expectNothingLost(trouble: Trouble): Promise<void> {
  // Three small surveys that go on being answered, so that every tick has something to do.
  const service = await polledService({
    seed,
    surveys: [{ surveyId: 1, responses: 70, open: 8 }, { surveyId: 2, responses: 20, open: 2 }, { surveyId: 3 }],
    settings: { sortKey: "dateCompleted", openListed: true },
  });
  const { simulator, folder } = service;
  const life = busyLife(simulator, chanceOf(createRandom(seed)));
  const what = `replay with WIRE_SEED=${seed}`;
  trouble.prepare?.(service);
  const faults = trouble.faults.flatMap((fault) => (fault.probability === undefined ? [fault] : [sure(fault), fault]));
  const hitsFile = join(folder, "hits.json");

  const troubled = await service.run(
    { ...flags, ticks: "12", interval: "20ms" },
    { env: scripted({ faults: { list: faults, hitsFile } }), limit: LIMIT },
  );
  const failures = expectClearOutput(troubled, what);
  if (trouble.says !== undefined) expect(failures.join("\n"), what).toMatch(trouble.says);
  const hits = hitsOf(faults, hitsFile, what);

  life.end();
  simulator.clearFaults();
  // What waits for its metrics is due by then.
  const { laterFaults = [] } = trouble;
  const later = scripted({ ahead: LATER, faults: { list: laterFaults, hitsFile } });
  const { events } = await service.poll({ ...flags, ticks: "4" }, { env: later });
  hitsOf(laterFaults, hitsFile, what);
  const lost = hits.filter((_, i) => isUnknownPublish(faults[i])).reduce((sum, count) => sum + count, 0);
  const unwritten = failures.filter((line) => line.includes("DYNAMODB_FAILED")).length;
  const claimed = await withAws(join(folder, "data"), (aws) => readClaimed(aws, events));
  const repeats = trouble.repeats ?? 10 * (lost + unwritten);
  const problems = compareWithTruth(events, simulator.truth(), { repeats, claimed });
  expect(problems, what).toEqual([]);
  expectSameContents(events, what);
  await expectLedger(service, what);
}

function sure({ probability, ...fault }: Fault): Fault {
  return { ...fault, times: 1 };
}

/** How many requests each fault has met; of each kind of each service some must have. */
function hitsOf(faults: readonly Fault[], hitsFile: string, what: string): number[] {
  const hits = readHits(hitsFile);
  expect(hits, what).toHaveLength(faults.length);
  const sums = new Map<string, number>();
  for (const [i, { service, kind }] of faults.entries()) {
    sums.set(`${service} ${kind}`, (sums.get(`${service} ${kind}`) ?? 0) + (hits[i] ?? 0));
  }
  const without = [...sums].filter(([, sum]) => sum === 0);
  expect(without, `${what}: faults that met no request`).toEqual([]);
  return hits;
}

function isUnknownPublish(fault: Fault | undefined): boolean {
  return fault?.service === "eventbridge" && (fault.kind === "lose-answer" || fault.kind === "delay");
}

/** Every kind of line that a command may write while something is wrong and it goes on. */
const LINES = [
  /^polling /,
  /^\d+ surveys, \d+ pages, /,
  /^the survey service limits the rate: /,
  /^survey \d+: .+ \([A-Z][A-Z0-9_]+\); tried again at the next tick$/,
  /^tick failed: .+; tried again at the next tick$/,
  /^done: \d+ ticks in /,
  /^survey \d+: \d+ emitted; books: (closed at|not closed yet:) /,
];
const UNCLEAR = /unexpected|undefined|\[object|^\s+at |\.[mc]?[jt]s:\d+|node:internal|\$metadata/;

/** The command went on to its end, and said what was wrong in whole lines of words. Gives those that tell of failures. */
function expectClearOutput({ code, stdout, stderr }: CommandResult, what: string): string[] {
  expect({ code, stderr }, what).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(
    lines.filter((line) => UNCLEAR.test(line) || !LINES.some((kind) => kind.test(line))),
    what,
  ).toEqual([]);
  return lines.filter((line) => line.endsWith("tried again at the next tick"));
}
