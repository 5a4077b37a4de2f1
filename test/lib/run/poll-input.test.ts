import { describe, expect, it } from "vitest";
import { PollInputError, readPollInput } from "../../../lib/run/poll-input.ts";

const read = (input: unknown, sources = ["main", "eu"]) => readPollInput(input, sources);

const ARN = "arn:aws:lambda:eu-west-1:111122223333:function:SurveyPoller-Poll";

describe("the input of the poll function", () => {
  it.each([
    ["what a schedule passes", { source: "main" }, { source: "main" }],
    ["an empty one", {}, {}],
    ["none at all", null, {}],
    [
      "a message, which names a source and starts no operation",
      { Records: [{ body: "eu", attributes: { SentTimestamp: "1773144000000" } }], operation: { kind: "forget" } },
      { source: "eu", scheduled: true, sentAt: 1_773_144_000_000 },
    ],
    [
      "an operation",
      { source: "eu", operation: { kind: "redrive", surveyIds: [1] } },
      { source: "eu", operation: { kind: "redrive", surveyIds: [1] } },
    ],
  ])("may be %s", (_name, input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  it.each(["emitted", "resend"])("may be %s by the alias of subscribers", (kind) => {
    const input = { source: "main", operation: { kind } };
    expect(readPollInput(input, ["main"], `${ARN}:resend`)).toEqual(input);
  });

  it.each([{}, { scheduled: true }, { operation: { kind: "forget" } }, { operation: { kind: "describe" } }])(
    "is nothing else by the alias of subscribers: %j",
    (input) => {
      const read = (invoked: string) => () => readPollInput(input, ["main"], invoked);
      expect(read(`${ARN}:resend`)).toThrow("operation.kind: must be emitted or resend by the alias resend");
      expect(read(ARN)).not.toThrow();
    },
  );

  it("is no message by the alias of subscribers, whatever else it says", () => {
    const Records = [{ body: "main", attributes: { SentTimestamp: "1773144000000" } }];
    for (const more of [{}, { operation: { kind: "resend" } }])
      expect(() => readPollInput({ Records, ...more }, ["main"], `${ARN}:resend`)).toThrow(/^Bad input/);
  });

  it.each([{ body: "main", attributes: {} }, { body: "gone", attributes: { SentTimestamp: "1773144000000" } }, {}])(
    "is no message without its time and a source: %j",
    (message) => {
      expect(() => read({ Records: [message] })).toThrow("Records: must hold a message of the tick queue");
    },
  );

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
    [{ source: "eu", sentAt: 1 }, "sentAt: unknown field; the known ones here are source, operation, scheduled"],
    [{ source: "main", operatoin: {} }, 'operatoin: unknown field, did you mean "operation"?'],
    [[], "must be an object"],
    ["main", "must be an object"],
  ])("%j is refused, with what is wrong and what would be right", (input, problem) => {
    const message = `Bad input: ${problem}. An input is such as {} or {"source":"main"}.`;
    expect(() => read(input)).toThrow(new PollInputError(message));
  });
});
