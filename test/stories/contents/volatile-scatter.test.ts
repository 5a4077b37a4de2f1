import { expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { shownAs } from "../../support/shown-as.ts";
import { at, HOUR, MINUTE, range, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

interface Row {
  responseId: number;
  questionId: number;
}

const isOf = (id: number) => (record: unknown) => (record as Row).responseId === id;

/** A list in which the third record of response 25 stands far from the others; the comments of the later ones are signed anew at each read. */
function worldApart(isSigned: boolean): MemoryWorld {
  const world = worldWith(
    range(1, 200).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * SECOND), size: 3 })),
  );
  const survey = surveyOf(world);
  const third = survey.records.filter(isOf(25)).find((record) => (record as Row).questionId === 3);
  survey.records = survey.records.filter((record) => record !== third);
  survey.records.splice(survey.records.findIndex(isOf(150)), 0, third);
  if (isSigned) {
    shownAs(world, (record, { read }) =>
      Number(record.responseId) > 60 ? { ...record, comment: `https://example.com/${read}` } : record,
    );
  }
  return world;
}

it.each([
  ["reads the same each time", false],
  ["has comments that are signed anew each time", true],
])(
  "a response whose records lie apart is found out and repaired at once where the list %s",
  async (_name, isSigned) => {
    const world = worldApart(isSigned);
    for (let i = 0; i < 3; i += 1) {
      await runTick(world);
      world.time.now += MINUTE;
    }
    expect(world.mark(1).volatile).toEqual(isSigned ? ["comment"] : undefined);
    const events = world.delivered.filter(({ data }) => data.responseId === 25);
    expect(events.at(-1)?.data.answers).toHaveLength(3);
    expect(world.mark(1).contiguous).not.toBe(true);
  },
);
