import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { type PastEnd, shownAs } from "../../support/shown-as.ts";
import { closedBooks } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

/** Rows of each question of a matrix, which all have the same answer. */
const ROWS = 3;

/** Records of some responses, listed by the row that they answer: nothing but that tells the records of one question apart (R2). */
function byRow(ids: number[], questions: number): unknown[] {
  return range(0, ROWS - 1).flatMap((row) =>
    ids.flatMap((id) => range(1, questions).map((question) => ({ ...recordOf(id, question), row }))),
  );
}

const plain = (first: number, last: number, questions = 10): unknown[] =>
  range(first, last).flatMap((id) => range(1, questions).map((question) => recordOf(id, question)));

const recordOf = (responseId: number, questionId: number): Record<string, unknown> => ({
  responseId,
  surveyId: 1,
  completed: 1,
  dateStart: at(0),
  dateCompleted: at(responseId * SECOND),
  questionId,
  answer: [0],
});

/** After an hour of ticks, of a service that answers so behind the end of such a list. */
async function polled(records: unknown[], responses: number, pastEnd: PastEnd, pageSize = 100): Promise<MemoryWorld> {
  const world = worldWith([]);
  Object.assign(surveyOf(world), { records });
  surveyOf(world).counts.responses = responses;
  shownAs(world, (record) => record, { pastEnd, pageSize });
  for (let tick = 0; tick < 60; tick += 1) {
    await runTick(world, { source: { patrol: { every: HOUR, full: 30 * MINUTE } } });
    world.time.now += MINUTE;
  }
  return world;
}

// R8, R29: two pages alike are taken for the end, and in the midst of a list the other order shows that they are not.
describe("full pages that look alike in the midst of a list", () => {
  it.each([
    ["at one end", [...byRow(range(1, 10), 10), ...plain(11, 40)], 40],
    ["at both ends", [...byRow([1, 2], 50), ...plain(3, 102), ...byRow([103, 104], 50)], 104],
  ])("leave the books open, which say that a range was not reached: %s", async (_where, records, responses) => {
    const world = await polled(records, responses, "nothing");
    expect(world.mark(1).booksOpen).toEqual({ code: "range-unreachable" });
  });

  it("do so where a page holds 50 records", async () => {
    const records = [...plain(1, 5), ...byRow([6], 50), ...plain(7, 36), ...byRow([37], 50), ...plain(38, 42)];
    const world = await polled(records, 42, "nothing", 50);
    expect(world.mark(1).booksOpen).toEqual({ code: "range-unreachable" });
  });
});

describe.each<PastEnd>(["nothing", "last", "first"])(
  "pages that differ in their answers alone, the %s behind them",
  (pastEnd) => {
    it("are not taken for one and the same: a response of 300 records goes out whole", async () => {
      const records = byRow([1], 100).map((record) => ({ ...Object(record), answer: [Object(record).row] }));
      const world = await polled(records, 1, pastEnd);
      expect(deliveredIds(world)).toEqual([1]);
      expect(world.delivered[0]?.data.answers).toHaveLength(ROWS * 100);
      expect(closedBooks(world)).toMatchObject({ listed: 1, deficit: 0 });
    });
  },
);

// R8
it("responses that arrive between two reads do not contradict that a short page is the last one", async () => {
  const world = worldWith(range(1, 48).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  const tick = async (): Promise<void> => {
    await runTick(world, { source: { backgroundRequests: 0 } });
    world.time.now += MINUTE;
  };
  await tick();
  await tick();
  expect(world.account.shortPageEnds).toBe(true);
  arrive(world, { responseId: 49, completed: at(0) });
  world.before.push(({ operation, args: [, page] }) => {
    if (operation !== "page" || page !== 2 || surveyOf(world).records.length > 100) return;
    for (const responseId of [50, 51, 52]) arrive(world, { responseId, completed: at(MINUTE) });
  });
  await tick();
  await tick();
  expect(deliveredIds(world)).toHaveLength(52);
  expect(world.account.shortPageEnds).toBe(true);
});
