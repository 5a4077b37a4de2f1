import { expect, test } from "vitest";
import { createMatcher, InvalidEventPatternError } from "../../../../lib/local/aws/event-bridge/matcher.ts";
import { goldenCases } from "../../../event-rules/golden.ts";

function verdict(pattern: unknown, event: object): string {
  try {
    return String(createMatcher(pattern)(event));
  } catch (error) {
    if (error instanceof InvalidEventPatternError) return "invalid";
    throw error;
  }
}

test.each(goldenCases)("golden: $expected for $pattern.detail", ({ pattern, event, expected }) => {
  expect(verdict(pattern, event)).toBe(expected);
});

test.each<[unknown, object, string]>([
  // Conditions below one array hold for one and the same element, at every level of nesting.
  [
    { a: { b: [1], c: [2] } },
    {
      a: [
        { b: 1, c: 9 },
        { b: 9, c: 2 },
      ],
    },
    "false",
  ],
  [{ a: { b: [1], c: [2] } }, { a: [[{ b: 1 }], [{ b: 1, c: 2 }]] }, "true"],
  [{ a: { b: { c: [1], d: [2] } } }, { a: [{ b: [{ c: 1 }, { d: 2 }] }] }, "false"],
  [{ a: { b: [1], c: [{ exists: false }] } }, { a: [{ b: 1, c: 0 }, { b: 1 }] }, "true"],
  [{ a: { b: [1], c: [{ exists: false }] } }, { a: [{ b: 1, c: 0 }, { b: 2 }] }, "false"],
  // Values are of a type; numbers are equal however they are written.
  [{ a: [1] }, { a: "1" }, "false"],
  [{ a: ["true"] }, { a: true }, "false"],
  [{ a: [null] }, { a: null }, "true"],
  [{ a: [null] }, {}, "false"],
  [{ a: [{ exists: false }] }, { a: null }, "false"],
  [{ a: [{ exists: true }] }, { a: { b: 1 } }, "false"],
  [{ a: [{ numeric: [">", 0, "<=", 5] }] }, { a: 5 }, "true"],
  [{ a: [{ numeric: [">", 0, "<", 5] }] }, { a: 5 }, "false"],
  [{ a: [{ "anything-but": "x" }] }, { a: 5 }, "true"],
  [{ a: [{ "anything-but": "x" }] }, {}, "false"],
  [{ a: [{ wildcard: "a\\*b*" }] }, { a: "a*bc" }, "true"],
  [{ a: [{ wildcard: "a\\*b*" }] }, { a: "axbc" }, "false"],
  [{ a: [{ wildcard: "*\n*" }] }, { a: "1\n2" }, "true"],
  [{ a: [{ prefix: "a.c" }] }, { a: "abc" }, "false"],
  [{ a: ["2001:db8::1"] }, { a: "2001:DB8:0:0::1" }, "true"],
  [{ a: { b: [1] } }, { "a.b": 1 }, "true"],
  // A field outside of $or is overruled by the same field in a $or that comes after it.
  [{ a: [1], $or: [{ a: [2] }, { b: [1] }] }, { a: 2 }, "true"],
  [{ $or: [{ a: [2] }, { b: [1] }], a: [1] }, { a: 2, b: 1 }, "false"],
  [{ $or: [{ a: [1] }, { prefix: ["x"] }] }, { a: 1 }, "invalid"],
  ["text", {}, "invalid"],
  [{}, {}, "invalid"],
])("%j on %j: %s", (pattern, event, expected) => {
  expect(verdict(pattern, event)).toBe(expected);
});
