import { describe, expect, it } from "vitest";
import { asArray, asOnlyElement } from "../../../../lib/survey-api/bodies/index.ts";

describe("a list", () => {
  it.each([
    ["an array", [1, null], [1, null]],
    ["null", null, []],
    ["an empty object", {}, []],
    ["an array whose indexes have gaps", { "0": "a", "7": "b" }, ["a", "b"]],
  ])("is read from %s", (_name, value, expected) => {
    expect(asArray(value)).toEqual(expected);
  });

  it.each([[{ error: "x" }], [{ "1": 1, data: [] }], ["[]"], [0], [true], [undefined]])("is not in %j", (value) => {
    expect(asArray(value)).toBeUndefined();
  });
});

describe("an array with one element", () => {
  it.each([
    ["its element", [{ a: 1 }], [{ a: 1 }]],
    ["an element that is null", [null], [null]],
    ["the bare object", { a: 1 }, [{ a: 1 }]],
    ["nothing when it is empty", [], []],
  ])("gives %s", (_name, value, expected) => {
    expect(asOnlyElement(value)).toEqual(expected);
  });

  it.each([[[1, 2]], [null], ["text"], [7], [undefined]])("is not %j", (value) => {
    expect(asOnlyElement(value)).toBeUndefined();
  });
});
