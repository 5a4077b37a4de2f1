import { describe, expect, it, vi } from "vitest";
import { createWorkerCoordination } from "../../../lib/service/worker-coordination.ts";
import type { LearnedRate } from "../../../lib/survey-api/index.ts";

const noon = Date.UTC(2026, 2, 10, 12);
const SECOND = 1_000;
const rate = (requestsPerSecond: number, more: Partial<LearnedRate> = {}): LearnedRate => ({
  requestsPerSecond,
  at: noon,
  ...more,
});

/** A worker with a table and a client that only note what they are told. */
function worker() {
  const table = {
    pause: vi.fn(async (_until: number): Promise<void> => {}),
    saveLearned: vi.fn(async (_learned: object): Promise<void> => {}),
    renewToken: vi.fn(),
  };
  let learned: LearnedRate | undefined;
  const api = {
    learned: () => learned,
    learn: vi.fn((rate: LearnedRate) => {
      learned = rate;
    }),
    pauseUntil: vi.fn(),
  };
  const made = createWorkerCoordination(table);
  return {
    table,
    api,
    ...made,
    pause: (seconds: number) => made.coordination.onPause({ until: noon + seconds * SECOND }),
    learns: (rate: LearnedRate) => {
      learned = rate;
    },
    settled: () => made.settle(api),
    reads: (account: { pausedUntil?: number; pausedSince?: number; learned?: unknown }) => made.takeOver(account, api),
  };
}

it("a pause that this worker was told is in the table by the end of a run, also where its first writing fails", async () => {
  const { table, pause, settled } = worker();
  const first = Promise.withResolvers<void>();
  table.pause.mockReturnValueOnce(first.promise).mockRejectedValueOnce(new Error("throttled"));
  pause(5);
  pause(9);
  expect(table.pause.mock.calls).toEqual([[noon + 5 * SECOND], [noon + 9 * SECOND]]);
  const end = vi.fn();
  const settling = settled().then(end);
  await new Promise((resolve) => setImmediate(resolve));
  expect(end).not.toHaveBeenCalled();
  first.resolve();
  await settling;
  expect(table.pause.mock.calls.slice(2)).toEqual([[noon + 9 * SECOND]]);
});

it("a pause that another worker was told is handed to the client alone; an operator's not even to it, as it would outlast its end", async () => {
  const { table, api, reads, settled } = worker();
  reads({ pausedUntil: noon + 60 * SECOND, pausedSince: noon });
  expect(api.pauseUntil).not.toHaveBeenCalled();
  reads({ pausedUntil: noon + 5 * SECOND });
  await settled();
  expect(api.pauseUntil).toHaveBeenCalledExactlyOnceWith(noon + 5 * SECOND);
  expect(table.pause).not.toHaveBeenCalled();
  // Nothing was learned either.
  expect(table.saveLearned).not.toHaveBeenCalled();
});

describe("the learned rate", () => {
  it("of the table is handed to a client that has learned nothing yet", () => {
    const { api, reads } = worker();
    reads({});
    expect(api.learn).not.toHaveBeenCalled();
    reads({ learned: rate(20) });
    reads({ learned: rate(15) });
    expect(api.learn.mock.calls).toEqual([[rate(20)]]);
  });

  it.each<[string, LearnedRate, boolean]>([
    ["a little faster", rate(20.9), false],
    ["a little slower", rate(19.1), false],
    ["later", rate(20, { at: noon + SECOND }), false],
    ["5 % faster", rate(21.1), true],
    ["5 % slower", rate(18.9), true],
  ])("that is %s is saved: %#", async (_name, now, isSaved) => {
    const { reads, learns, settled, table } = worker();
    reads({ learned: rate(20) });
    await settled();
    expect(table.saveLearned).not.toHaveBeenCalled();
    learns(now);
    await settled();
    await settled();
    expect(table.saveLearned.mock.calls).toEqual(isSaved ? [[now]] : []);
  });

  it("is saved when there was none, or none that can be understood", async () => {
    for (const learned of [undefined, null, "fast", {}, { requestsPerSecond: "20" }]) {
      const { reads, learns, settled, table } = worker();
      reads({ learned });
      learns(rate(20));
      await settled();
      expect(table.saveLearned.mock.calls).toEqual([[rate(20)]]);
    }
  });

  it("that cannot be saved is saved at the next end of a tick", async () => {
    const { learns, settled, table } = worker();
    table.saveLearned.mockRejectedValueOnce(new Error("throttled"));
    learns(rate(20));
    await settled();
    await settled();
    expect(table.saveLearned).toHaveBeenCalledTimes(2);
  });
});
