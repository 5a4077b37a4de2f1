import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AwsFailure } from "../../../lib/aws/failure.ts";
import { createRandom } from "../../../lib/local/simulator/hashing.ts";
import { pollScheduled, type ScheduledRequest, type SendTicks } from "../../../lib/run/poll-scheduled.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  noon,
  range,
  SECOND,
  takes,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";

const MINUTES = 30;
const RESPONSES = 90;

let world: MemoryWorld;
let log: ReturnType<typeof memoryLog>;
beforeEach(() => {
  world = worldWith([]);
  log = memoryLog();
  // Metrics are written there.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(Date, "now").mockImplementation(() => world.time.now);
});
afterEach(() => void vi.restoreAllMocks());

/** An invocation that begins now. */
function invoke(interval: string, how: Pick<ScheduledRequest, "sentAt" | "sendTicks">, owner = "o"): Promise<unknown> {
  const graphs = [memoryGraph(world, { interval })];
  return pollScheduled({ graphs, owner, remaining: () => 15 * MINUTE, logger: log, ...how });
}

interface Course {
  interval: string;
  /** How often the message comes that was sent as the nth. */
  copies?: (nth: number) => number;
}

/** Half an hour of completions at any time, under a schedule and its messages. Gives how late each event was, in milliseconds. */
async function live({ interval, copies = () => 1 }: Course): Promise<number[]> {
  const random = createRandom(1);
  const completions = range(1, RESPONSES).map(() => noon + Math.floor(random() * (MINUTES - 1) * MINUTE));
  completions.sort((a, b) => a - b);
  // Each answer of the service takes so long.
  takes(world, 200, ({ port }) => port === "service");
  const came: number[] = [];
  world.after.push(({ operation }) => {
    if (operation === "publish") while (came.length < world.delivered.length) came.push(world.time.now);
  });
  let sent = 0;
  const messages: { at: number; sentAt: number; copies: number }[] = [];
  const sendTicks: SendTicks = async (_source, delays) => {
    for (const delay of delays) {
      messages.push({ at: world.time.now + delay * SECOND, sentAt: world.time.now, copies: copies(sent) });
      sent += 1;
    }
  };
  let listed = 0;
  const goTo = (time: number): void => {
    for (; (completions[listed] ?? Infinity) <= time; listed += 1)
      arrive(world, { responseId: listed + 1, completed: at((completions[listed] ?? 0) - noon) });
    world.time.now = Math.max(world.time.now, time);
  };
  for (const minute of range(0, MINUTES - 1)) {
    goTo(noon + minute * MINUTE);
    await invoke(interval, { sendTicks });
    for (const message of messages.splice(0)) {
      goTo(message.at);
      const { sentAt } = message;
      await Promise.all(range(1, message.copies).map((copy) => invoke(interval, { sentAt, sendTicks }, `${copy}`)));
    }
  }
  expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, RESPONSES));
  return world.delivered.map(({ data }, i) => (came[i] ?? 0) - (completions[data.responseId - 1] ?? 0));
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
/** How often the service was asked for news. */
const ticks = (): number => timesCalled(world, "service", "surveys");

describe("ticks within a minute", () => {
  it.each([
    { interval: "10s", perMinute: 6, most: 8 * SECOND },
    { interval: "30s", perMinute: 2, most: 20 * SECOND },
    { interval: "1m", perMinute: 1, most: 40 * SECOND },
  ])("at $interval are $perMinute, by which half of the events come within $most ms", async ({ most, ...course }) => {
    const late = await live(course);
    expect(ticks()).toBe(MINUTES * course.perMinute);
    expect(median(late)).toBeLessThanOrEqual(most);
    expect(Math.max(...late)).toBeLessThan((60 / course.perMinute) * SECOND + 3 * SECOND);
  });

  it("that a message starts twice at once make the same requests and the same events as one", async () => {
    await live({ interval: "10s" });
    const [once, asked] = [world.delivered, timesCalled(world, "service")];
    world = worldWith([]);
    await live({ interval: "10s", copies: () => 2 });
    expect(world.delivered).toEqual(once);
    expect(timesCalled(world, "service")).toBe(asked);
    expect(log.lines).toContainEqual(expect.objectContaining({ message: "left: another invocation does the tick" }));
  });

  it("cost themselves alone where their message is lost", async () => {
    const late = await live({ interval: "10s", copies: (nth) => (nth % 3 === 1 ? 0 : 1) });
    expect(ticks()).toBe(MINUTES * 6 - (MINUTES * 5) / 3);
    expect(Math.max(...late)).toBeLessThan(23 * SECOND);
  });

  it("ask the service for nothing while the source is paused", async () => {
    Object.assign(world.account, { pausedSince: noon, pausedUntil: noon + 60 * MINUTE });
    const sendTicks = vi.fn<SendTicks>(async () => {});
    await invoke("10s", { sendTicks });
    world.time.now += 10 * SECOND;
    await invoke("10s", { sendTicks, sentAt: noon });
    expect(sendTicks.mock.calls).toEqual([["main", [10, 20, 30, 40, 50]]]);
    expect(timesCalled(world, "service")).toBe(0);
  });

  it("are left once their minute is over: the schedule has started another tick", async () => {
    world.time.now += MINUTE;
    expect(await invoke("10s", { sentAt: noon })).toEqual({ ticks: [] });
    expect(world.calls).toEqual([]);
    expect(log.lines).toMatchObject([{ level: "info", message: "left: the minute of this tick is over" }]);
  });

  it("that cannot be asked for are told, and the tick of the schedule goes on", async () => {
    arrive(world, { responseId: 1, completed: at(0) });
    const sendTicks = () => Promise.reject(new AwsFailure("sqs", { code: "AccessDenied" }));
    await invoke("10s", { sendTicks });
    expect(deliveredIds(world)).toEqual([1]);
    const details = { source: "main", code: "SQS_FAILED", reason: "SQS could not be used (AccessDenied)" };
    expect(log.lines[0]).toMatchObject({ level: "warn", message: "ticks not sent", details });
  });
});
