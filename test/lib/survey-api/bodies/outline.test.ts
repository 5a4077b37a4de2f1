import { describe, expect, it } from "vitest";
import { outline, outlineText } from "../../../../lib/survey-api/bodies/outline.ts";

describe("the outline of a body", () => {
  it.each([
    [null, "null"],
    [true, "boolean"],
    [-1.5, "number"],
    ["secret", "string(6)"],
    [[], "array(0)"],
    [{}, "{}"],
    [[1, "two"], "array(2) of number"],
    [[[], []], "array(2) of array(0)"],
    [{ error: { message: "no" } }, "{ error: { message: string(2) } }"],
    [
      { data: Array(3).fill({ id: 1, name: "twelve chars" }) },
      "{ data: array(3) of { id: number, name: string(12) } }",
    ],
    [{ "17": { name: "x" }, "18": { name: "y" } }, "map(2) of { name: string(1) }"],
  ])("%j: %s", (body, expected) => {
    expect(outline(body)).toBe(expected);
  });

  it("shows documented names, also those that look like identifiers", () => {
    const body = { iso3166: "PL", maxValueIncludingEmptyAnswer: 1, hideLableText: 0 };
    expect(outline(body)).toBe("{ iso3166: string(2), maxValueIncludingEmptyAnswer: number, hideLableText: number }");
  });

  it.each(["anna@example.org", "", "__proto__2026", "a1b2c3d4e5f6", "AbCdEfGhIjKlMnOpQrStUvWxYz", "żółw", "<script>"])(
    "hides the name %j, which may be data",
    (name) => {
      expect(outline({ [name]: 1, a: 2 })).toBe("{ …: number, a: number }");
    },
  );

  it("stays short for wide and deep bodies", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, "x"]));
    expect(outline(wide)).toMatch(/, … 488 more }$/);
    let deep: unknown = 1;
    for (let i = 0; i < 50_000; i += 1) deep = i % 2 === 0 ? [deep] : { next: deep };
    expect(outline(deep)).toBe("{ next: array(1) of { next: array(1) of { … } } }");
    const long = Array.from({ length: 4 }, (_, i) => [`aVeryLongNameOfAField${i}`, wide]);
    expect(outline(Object.fromEntries(long))).toMatch(/^.{199}…$/);
  });
});

describe("the outline of a text", () => {
  it.each([
    ["", "empty"],
    [" \r\n\uFEFF", "empty"],
    ["x", "text, 1 character"],
    ["Too many calls!", "text, 15 characters"],
    ["\n<!DOCTYPE html><p>Down</p>", "HTML, 27 characters"],
    ["<HTML><body>", "HTML, 12 characters"],
    ['<?xml version="1.0"?><e/>', "XML, 25 characters"],
    ['[{"surveyId": 1', "broken JSON, 15 characters"],
  ])("%j: %s", (text, expected) => {
    expect(outlineText(text)).toBe(expected);
  });
});
