import { describe, expect, it } from "vitest";
import { readReports } from "../../../../lib/survey-api/bodies/index.ts";

const first = { reportId: 71, name: "All" };
const second = { id: "72", name: "Poland" };
const third = { report_id: 73 };
const nameless = { name: "Draft" };

describe("the body of operation 5, whose shape is not shown", () => {
  it.each<[string, unknown, [number | undefined, unknown][]]>([
    [
      "an array of objects",
      [first, second, third, nameless],
      [
        [71, first],
        [72, second],
        [73, third],
        [undefined, nameless],
      ],
    ],
    [
      "an array of ids",
      [71, "72"],
      [
        [71, 71],
        [72, "72"],
      ],
    ],
    [
      "a map by id",
      { "72": nameless, "90": first },
      [
        [72, nameless],
        [71, first],
      ],
    ],
    ["a map of names by id", { "72": "Poland" }, [[72, "Poland"]]],
    [
      "an array of ids whose indexes have gaps",
      { "0": 71, "2": 72 },
      [
        [71, 71],
        [72, 72],
      ],
    ],
    ["a usual name", { total: 1, reports: [first] }, [[71, first]]],
    ["another usual name", { data: { "71": nameless } }, [[71, nameless]]],
    ["an empty array", [], []],
    ["an empty object", {}, []],
    ["null", null, []],
    ["an empty array by name", { items: [] }, []],
  ])("is read from %s", (_name, body, expected) => {
    expect(readReports(body)).toEqual(expected.map(([reportId, raw]) => ({ reportId, raw })));
  });

  it.each([["text"], [7], [true], [undefined], [["a"]], [[first, null]], [{ error: "no" }], [{ data: "x" }]])(
    "is not in %j",
    (body) => {
      expect(readReports(body)).toBeUndefined();
    },
  );
});
