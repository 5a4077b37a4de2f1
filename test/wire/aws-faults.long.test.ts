import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Service } from "../../lib/local/aws/index.ts";
import type { Fault, FaultKind } from "../support/aws/faults.ts";
import type { CommandResult } from "../support/command.ts";
import { busyLife, createChance, seed } from "./support/busy-life.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { expectLedger, expectSameContents } from "./support/expect-books.ts";
import { type PolledService, polledService } from "./support/polled-service.ts";
import { readHits, scripted } from "./support/script.ts";
import { readClaimed, withAws } from "./support/with-aws.ts";

interface Trouble {
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
async function expectNothingLost(trouble: Trouble): Promise<void> {
  // Three small surveys that go on being answered, so that every tick has something to do.
  const service = await polledService({
    seed,
    surveys: [{ surveyId: 1, responses: 70, open: 8 }, { surveyId: 2, responses: 20, open: 2 }, { surveyId: 3 }],
    settings: { sortKey: "dateCompleted", openListed: true },
  });
  const { simulator, folder } = service;
  const life = busyLife(simulator, createChance());
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

/** What the poller itself asks of the table: making it is not under test here. */
const TABLE = ["Query", "GetItem", "UpdateItem", "PutItem", "BatchGetItem", "BatchWriteItem"];

/** The same fault for each of these operations, from the start. */
const on = (service: Service, operations: string[], fault: { kind: FaultKind } & Partial<Fault>): Fault[] =>
  operations.map((operation) => ({ service, operation, ...fault }));

describe("DynamoDB", () => {
  test("that throttles for longer than the SDK asks makes a survey wait for the next tick", async () => {
    await expectNothingLost({
      faults: on("dynamodb", ["BatchGetItem"], { kind: "throttle", after: 3, times: 16 }),
      says: /^survey \d: DynamoDB could not be used \(ProvisionedThroughputExceededException\) \(DYNAMODB_FAILED\);/m,
    });
  });

  test("that does what is asked while its answers get lost: conditional writes find themselves done", async () => {
    await expectNothingLost({ faults: on("dynamodb", TABLE, { kind: "lose-answer", probability: 0.4, times: 25 }) });
  });

  test("that cannot enter what was published: the mark holds it", async () => {
    // So many that the attempts of several writes at once are used up.
    await expectNothingLost({
      faults: on("dynamodb", ["BatchWriteItem"], { kind: "down", after: 2, times: 45 }),
      repeats: 0,
      says: /DynamoDB could not be used \(ECONNRESET\)/,
    });
  });
});

describe("EventBridge", () => {
  const bus = (fault: { kind: FaultKind } & Partial<Fault>): Fault[] => on("eventbridge", ["PutEvents"], fault);

  test("that refuses whole requests gets them again, at the next tick if need be", async () => {
    await expectNothingLost({
      faults: [...bus({ kind: "throttle", times: 40 }), ...bus({ kind: "error", times: 30 })],
      says: /^survey \d: the event bus did not take every event .*PUBLISH_FAILED/m,
    });
  });

  test("whose answer comes too late is taken to have lost it", async () => {
    await expectNothingLost({ faults: bus({ kind: "delay", delayMs: 4_700, after: 3, times: 1 }) });
  });
});

describe("S3", () => {
  const large = { records: 60, commentBytes: 4_000 };

  /** Some too large for an event, and one that has to wait until the last run, with records too large for the table: alone in its survey. */
  function prepare({ simulator }: PolledService): void {
    simulator.complete(2, 3, large);
    simulator.addSurvey({ surveyId: 4 });
    simulator.complete(4, 1, large);
    simulator.fault({ kind: "status", status: 500, operation: "metrics", surveyId: 4 });
  }

  test("that fails for longer than the SDK asks makes a survey wait for the next tick", async () => {
    await expectNothingLost({
      prepare,
      faults: [
        // The SDK asks five times for each of four objects. Nobody waits for the definitions of surveys.
        ...on("s3", ["PutObject"], { kind: "error", path: "^/[^/]+/(?!questions/)", times: 20 }),
        ...on("s3", ["PutObject"], { kind: "lose-answer", probability: 0.5, times: 2 }),
      ],
      laterFaults: on("s3", ["GetObject"], { kind: "down", times: 6 }),
      // Which of the two faults an attempt met last depends on what else is being put at the time.
      says: /^survey \d: S3 could not be used \((InternalError|ECONNRESET)\) \(S3_FAILED\);/m,
    });
  });
});

describe("Secrets Manager", () => {
  /** The token kept is refused from then on, and another has to be had and kept. */
  function revokeTwice({ simulator }: PolledService): void {
    let reads = 0;
    simulator.onPageRead(() => {
      reads += 1;
      if (reads === 3 || reads === 12) simulator.revokeToken();
    });
  }

  test("that throttles, fails and loses answers while tokens are read and kept", async () => {
    // The first of each is the command's own, when it puts the credentials there.
    await expectNothingLost({
      prepare: revokeTwice,
      faults: [
        ...on("secretsmanager", ["GetSecretValue"], { kind: "throttle", after: 1, probability: 0.5, times: 4 }),
        ...on("secretsmanager", ["GetSecretValue"], { kind: "error", after: 1, times: 14 }),
        ...on("secretsmanager", ["PutSecretValue"], { kind: "lose-answer", after: 1, times: 2 }),
        ...on("secretsmanager", ["PutSecretValue"], { kind: "error", after: 1, times: 7 }),
      ],
      says: /Secrets Manager could not be used/,
    });
  });
});

test("all of it at once, and a service that fails as well", async () => {
  const now = { probability: 0.15, times: 12 };
  await expectNothingLost({
    prepare({ simulator }) {
      simulator.complete(2, 3, { records: 60, commentBytes: 4_000 });
      simulator.fault({ kind: "status", status: 500, probability: 0.04 });
      simulator.fault({ kind: "reset", probability: 0.03 });
      simulator.fault({ kind: "truncate", probability: 0.03 });
    },
    faults: [
      ...on("dynamodb", TABLE, { kind: "lose-answer", ...now }),
      ...on("dynamodb", ["BatchGetItem", "BatchWriteItem"], { kind: "partial", ...now }),
      ...on("dynamodb", ["UpdateItem", "BatchWriteItem"], { kind: "error", ...now, probability: 0.5 }),
      ...on("eventbridge", ["PutEvents"], { kind: "partial", ...now, probability: 0.4 }),
      ...on("eventbridge", ["PutEvents"], { kind: "lose-answer", ...now, probability: 0.3 }),
      ...on("s3", ["PutObject"], { kind: "error", ...now, probability: 0.5 }),
    ],
  });
});
