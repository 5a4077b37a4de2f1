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
    ["a redrive", { source: "eu", redrive: [1, 2] }, { source: "eu", redrive: [1, 2] }],
    ["a survey named twice", { source: "eu", redrive: [2, 1, 2] }, { source: "eu", redrive: [2, 1] }],
  ])("may be %s", (_name, input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  it("of a redrive without a source is meant for the only one", () => {
    expect(read({ redrive: [7] }, ["main"])).toEqual({ source: "main", redrive: [7] });
  });

  it.each([
    [{ redrive: [1] }, 'source: must be one of "main", "eu"'],
    [{ source: "typo", redrive: [1] }, 'source: must be one of "main", "eu"'],
    [{ source: "main", redrive: 1 }, "redrive: must be a list of survey ids, whole numbers above 0"],
    [{ source: "main", redrive: [] }, "redrive: must be a list of survey ids, whole numbers above 0"],
    [{ source: "main", redrive: [1, "2"] }, "redrive[1]: must be a list of survey ids, whole numbers above 0"],
    [{ source: "main", redrive: [0] }, "redrive[0]: must be a list of survey ids, whole numbers above 0"],
    [{ source: "main", redrive: [1.5] }, "redrive[0]: must be a list of survey ids, whole numbers above 0"],
    [{ source: 7 }, "source: must be the name of a source"],
    [{ source: "main", redrvie: [1] }, 'redrvie: unknown field, did you mean "redrive"?'],
    [[], "must be an object"],
    ["main", "must be an object"],
  ])("%j is refused, with what is wrong and what would be right", (input, problem) => {
    expect(messageOf(input)).toBe(
      `Bad input: ${problem}. An input is such as {} or {"source":"main"} or {"source":"main","redrive":[101,102]}.`,
    );
  });
});
