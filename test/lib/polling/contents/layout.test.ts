import { describe, expect, it } from "vitest";
import { createLayout, type PlacedRun } from "../../../../lib/polling/contents/layout.ts";
import { readRecord } from "../../../../lib/polling/model/records.ts";

const run = (page: number, ...records: string[]): PlacedRun => ({
  page,
  records: records.map((record) => readRecord(record)),
});

/** Whether these responses, with five more that stand together, show that all do. */
function isTogether(...responses: PlacedRun[][]): boolean {
  const layout = createLayout();
  for (const name of ["v", "w", "x", "y", "z"]) layout.add([run(1, `${name}1`, `${name}2`)], true);
  for (const runs of responses) layout.add(runs, true);
  return layout.isTogether();
}

describe("how records stand in a list that may have moved", () => {
  it.each<[string, boolean, PlacedRun[][]]>([
    ["one place each", true, [[run(2, "a1", "a2")], [run(2, "b1")]]],
    ["one response across the edge of a page", true, [[run(1, "a1"), run(2, "a2")], [run(2, "b1", "b2")]]],
    ["one response across three pages", true, [[run(1, "a1"), run(2, "a2"), run(3, "a3")]]],
    ["one that a move has shown once more, whole", true, [[run(1, "a1", "a2"), run(3, "a1", "a2")]]],
    ["one that a move has shown once more, in part", true, [[run(1, "a1"), run(2, "a1", "a2")]]],
    [
      "two responses across the edge of one page",
      false,
      [
        [run(1, "a1"), run(2, "a2")],
        [run(1, "b1"), run(2, "b2")],
      ],
    ],
    ["one response on pages that are not neighbours", false, [[run(1, "a1"), run(3, "a2")]]],
    ["one response twice on one page", false, [[run(1, "a1"), run(1, "a1")]]],
  ])("%s: together %s", (_, together, responses) => {
    expect(isTogether(...responses)).toBe(together);
  });

  it("is not told by fewer than five, by single records, or by what may be a part", () => {
    const layout = createLayout();
    for (const name of ["a", "b", "c", "d"]) layout.add([run(1, `${name}1`, `${name}2`)], true);
    layout.add([run(1, "e1")], true);
    layout.add([run(1, "f1", "f2")], false);
    expect(layout.isTogether()).toBe(false);
    layout.add([run(1, "g1", "g2")], true);
    expect(layout.isTogether()).toBe(true);
  });
});
