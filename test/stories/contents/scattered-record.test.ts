import { expect, it } from "vitest";
import { type Row, rowsOf } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { shownAs } from "../../support/shown-as.ts";
import { fullPass, fullPassesOnly as source } from "../../support/slow.ts";
import { arrive, at, HOUR, MINUTE, range, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

const isOf = (id: number) => (record: Row) => record.responseId === id;

/** A list in which the third record of response 25 stands far from the others; the comments of the later ones are signed anew at each read. */
function worldApart(isSigned: boolean): MemoryWorld {
  const world = worldWith(
    range(1, 200).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * SECOND), size: 3 })),
  );
  const third = rowsOf(world).filter(isOf(25)).slice(2);
  const others = rowsOf(world).filter((record) => !third.includes(record));
  surveyOf(world).records = others.toSpliced(others.findIndex(isOf(150)), 0, ...third);
  if (isSigned) {
    shownAs(world, (record, { read }) =>
      Number(record.responseId) > 60 ? { ...record, comment: `https://example.com/${read}` } : record,
    );
  }
  return world;
}

/** One more response, and a tick. */
async function next(world: MemoryWorld, responseId: number): Promise<void> {
  arrive(world, { responseId, completed: at(responseId * SECOND), size: 3 });
  world.time.now += MINUTE;
  await runTick(world, { source });
}

// Response 25 is none of the first 20, which are compared with operation 9 (R11). That gives it whole, so A5 holds.
it.each([
  ["reads the same each time", false],
  ["has comments that are signed anew each time", true],
])(
  "one record that stands far from the others is found out by a full pass where the list %s (R12)",
  async (_name, isSigned) => {
    const world = worldApart(isSigned);
    await runTick(world, { source });
    await fullPass(world);
    await next(world, 301);
    expect(world.mark(1).contents).toMatchObject({ apart: 0, answers: "several" });
  },
);

it("its response goes out whole in the end: operation 9 gives it (I2)", async () => {
  const world = worldApart(false);
  await runTick(world, { source });
  for (const responseId of range(301, 303)) {
    await fullPass(world);
    await next(world, responseId);
  }
  const events = world.delivered.filter(({ data }) => data.responseId === 25);
  expect(events.at(-1)?.data.answers).toHaveLength(3);
});
