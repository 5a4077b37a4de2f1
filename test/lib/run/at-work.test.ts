import { afterEach, expect, it, vi } from "vitest";
import { pollSources } from "../../../lib/run/poll-sources.ts";
import { at, deliveredIds, MINUTE, range, SECOND, worldWith } from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";
import { serveSlowly } from "../support/slow-service.ts";

afterEach(() => void vi.restoreAllMocks());

const INVOCATION = 15 * MINUTE;
const RESPONSES = 150;
const MINUTES = 60;

// R25
it("two sources with backlogs have never more than four invocations at work, which is few in an account of ten", async () => {
  const responses = range(1, RESPONSES).map((k) => ({ responseId: k, completed: at(-k * SECOND), size: 5 }));
  const worlds = [worldWith(responses), worldWith(responses)];
  const now = () => worlds[0]?.time.now ?? 0;
  vi.spyOn(Date, "now").mockImplementation(now);
  const began = now();
  // Fifteen seconds a request: a tick takes longer than the interval, and a backlog many invocations.
  const goOn = serveSlowly(worlds, 8, 15 * SECOND, () => Number.POSITIVE_INFINITY);
  const atWork = new Set<string>();
  const invocations: Promise<unknown>[] = [];
  const counts: number[] = [];
  let left = 0;
  const invoke = (source: number, minute: number): void => {
    const owner = `${source}-${minute}`;
    const start = now();
    const world = worlds[source];
    if (world === undefined) return;
    atWork.add(owner);
    const polled = pollSources({
      graphs: [memoryGraph(world, { advanced: { concurrency: 4 } })],
      owner,
      remaining: () => start + INVOCATION - now(),
      logger: memoryLog(),
    }).then(() => {
      atWork.delete(owner);
      if (now() === start) left += 1;
    });
    invocations.push(polled);
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  for (let minute = 0; minute < MINUTES || atWork.size > 0; ) {
    while (minute < MINUTES && now() >= began + minute * MINUTE) {
      for (const source of worlds.keys()) invoke(source, minute);
      minute += 1;
    }
    await settle();
    counts.push(atWork.size);
    goOn();
  }
  await Promise.all(invocations);
  expect(Math.max(...counts)).toBe(4);
  // A third one of a source leaves at once.
  expect(left).toBeGreaterThan(0);
  for (const world of worlds) expect(deliveredIds(world)).toHaveLength(RESPONSES);
}, 30_000);
