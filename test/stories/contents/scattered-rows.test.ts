import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { type PastEnd, shownAs } from "../../support/shown-as.ts";
import { closedBooks } from "../../support/slow.ts";
import { at, deliveredIds, MINUTE, range, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

/** Rows of each question of a matrix, which all have the same answer. */
const ROWS = 3;

/** Records of some responses, listed by the row that they answer: nothing but that tells the records of one question apart. */
function byRow(ids: number[], questions: number, isTold: boolean): unknown[] {
  return range(0, ROWS - 1).flatMap((row) =>
    ids.flatMap((id) =>
      range(1, questions).map((question) => ({ ...recordOf(id, question), ...(isTold ? { row } : {}) })),
    ),
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
async function polled(
  records: unknown[],
  responses: number,
  pastEnd: PastEnd,
  pageSize?: number,
): Promise<MemoryWorld> {
  const world = worldWith([]);
  Object.assign(surveyOf(world), { records });
  surveyOf(world).counts.responses = responses;
  shownAs(world, (record) => record, { pastEnd, ...(pageSize === undefined ? {} : { pageSize }) });
  for (let tick = 0; tick < 60; tick += 1) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  return world;
}

/** How many answers each of these responses went out with last. */
const answersOf = (world: MemoryWorld, ids: number[]): (number | undefined)[] =>
  ids.map((id) => world.delivered.findLast(({ data }) => data.responseId === id)?.data.answers.length);

describe.each([
  { isTold: true, as: "tells in a field of its own" },
  { isTold: false, as: "does not tell" },
])("full pages that look alike in the midst of a list by row, which the service $as,", ({ isTold }) => {
  it.each([
    ["at one end", [...byRow(range(1, 10), 10, isTold), ...plain(11, 40)], 40, 10],
    ["at both ends", [...byRow([1, 2], 50, isTold), ...plain(3, 102), ...byRow([103, 104], 50, isTold)], 104, 2],
  ])("are not taken for its end: %s", async (_where, records, responses, scattered) => {
    const world = await polled(records, responses, "nothing");
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, responses));
    expect(answersOf(world, range(1, scattered))).toEqual(Array(scattered).fill((ROWS * 100) / scattered));
    expect(closedBooks(world)).toMatchObject({ listed: responses, deficit: 0 });
  });
});

describe.each<PastEnd>(["nothing", "last", "first"])(
  "the last full pages that differ in a field of the service's own alone, which shows its %s page behind them",
  (pastEnd) => {
    it.each([
      ["of one response", byRow([1], 100, true), [ROWS * 100]],
      ["of two", byRow([1, 2], 50, true), [ROWS * 50, ROWS * 50]],
      ["behind others", [...plain(2, 21), ...byRow([1], 100, true)], [ROWS * 100, ...Array(20).fill(10)]],
    ])("are not taken for one and the same: %s", async (_whose, records, answers) => {
      const world = await polled(records, answers.length, pastEnd);
      expect(answersOf(world, range(1, answers.length))).toEqual(answers);
      expect(closedBooks(world)).toMatchObject({ listed: answers.length, deficit: 0 });
    });
  },
);

describe.each<PastEnd>(["nothing", "last"])("pages of 50 records, %s behind the last", (pastEnd) => {
  it("do not end the list where two are alike", async () => {
    const records = [
      ...plain(1, 5),
      ...byRow([6], 50, false),
      ...plain(7, 36),
      ...byRow([37], 50, false),
      ...plain(38, 42),
    ];
    const world = await polled(records, 42, pastEnd, 50);
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, 42));
    expect(answersOf(world, [6, 7, 37])).toEqual([ROWS * 50, 10, ROWS * 50]);
  });
});
