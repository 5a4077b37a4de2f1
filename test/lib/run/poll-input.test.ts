import { describe, expect, it } from "vitest";
import { PollInputError, readPollInput } from "../../../lib/run/poll-input.ts";

const read = (input: unknown, sources = ["main", "eu"]) => readPollInput(input, sources);

function messageOf(input: unknown, sources?: string[]): string {
  try {
    read(input, sources);
  } catch (error) {
    if (error instanceof PollInputError) return error.message;
    throw error;
  }
  throw new Error("it was taken");
}

describe("the input of the poll function", () => {
  it.each([
    ["what a schedule passes", { source: "main" }, { source: "main" }],
    ["an empty one", {}, {}],
    ["none at all", null, {}],
    [
      "an operation",
      { source: "eu", operation: { kind: "redrive", surveyIds: [1] } },
      { source: "eu", operation: { kind: "redrive", surveyIds: [1] } },
    ],
  ])("may be %s", (_name, input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  it("of an operation without a source is meant for the only one, and for any where all would answer the same", () => {
    const operation = { kind: "look" };
    expect(read({ operation }, ["main"])).toEqual({ source: "main", operation });
    expect(read({ operation: { kind: "describe" } })).toMatchObject({ source: "main" });
  });

  it.each([
    [{ operation: { kind: "look" } }, 'source: must be one of "main", "eu"'],
    [{ source: "typo", operation: { kind: "describe" } }, 'source: must be one of "main", "eu"'],
    [{ source: "main", operation: "describe" }, "operation: must be an object with a kind"],
    [{ source: "main", operation: { kind: 1 } }, "operation.kind: must be an object with a kind"],
    [{ source: 7 }, "source: must be the name of a source"],
    [{ source: "main", operatoin: {} }, 'operatoin: unknown field, did you mean "operation"?'],
    [[], "must be an object"],
    ["main", "must be an object"],
  ])("%j is refused, with what is wrong and what would be right", (input, problem) => {
    expect(messageOf(input)).toBe(`Bad input: ${problem}. An input is such as {} or {"source":"main"}.`);
  });
});
