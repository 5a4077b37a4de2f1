import { describe, expect, it } from "vitest";
import { closedBooks } from "../support/slow.ts";
import { at, deliveredIds, MINUTE, range, runTick, SECOND, surveyOf, worldWith } from "../support/survey.ts";

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

const recordOf = (responseId: number, questionId: number): Record<string, unknown> => ({
  responseId,
  surveyId: 1,
  completed: 1,
  dateStart: at(0),
  dateCompleted: at(responseId * SECOND),
  questionId,
  answer: [0],
});

describe.each([
  { isTold: true, as: "tells in a field of its own" },
  { isTold: false, as: "does not tell" },
])("full pages that look alike in the midst of a list by row, which the service $as,", ({ isTold }) => {
  const plain = (first: number, last: number) =>
    range(first, last).flatMap((id) => range(1, 10).map((question) => recordOf(id, question)));

  it.each([
    ["at one end", [...byRow(range(1, 10), 10, isTold), ...plain(11, 40)], 40, 10],
    ["at both ends", [...byRow([1, 2], 50, isTold), ...plain(3, 102), ...byRow([103, 104], 50, isTold)], 104, 2],
  ])("are not taken for its end: %s", async (_where, records, responses, scattered) => {
    const world = worldWith([]);
    Object.assign(surveyOf(world), { records });
    surveyOf(world).counts.responses = responses;
    for (let tick = 0; tick < 60; tick += 1) {
      await runTick(world);
      world.time.now += MINUTE;
    }
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, responses));
    const sizes = world.delivered
      .filter(({ data }) => data.responseId <= scattered)
      .map(({ data }) => data.answers.length);
    expect(sizes).toEqual(Array(scattered).fill((ROWS * 100) / scattered));
    expect(closedBooks(world)).toMatchObject({ listed: responses, deficit: 0 });
  });
});
