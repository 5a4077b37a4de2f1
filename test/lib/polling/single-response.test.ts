import { describe, expect, it } from "vitest";
import { compareAnswers, readSingleResponse } from "../../../lib/polling/single-response.ts";

const head = { responseId: 5, surveyId: 1, completed: 1, dateCompleted: "2026-03-10 12:00:00" };
const answers = [
  { questionId: 1, answer: [1], comment: "", score: null, matrixScore: null },
  { questionId: 2, answer: [], comment: "text", score: 3, matrixScore: null },
];
const records = answers.map((answer) => ({ ...head, ...answer }));

describe("the body of operation 9, whose shape is not shown", () => {
  it.each([
    ["an array of records", records],
    ["an object with the answers as an array", { ...head, answers }],
    ["that object in an array", [{ ...head, answers }]],
    ["answers keyed by question", { ...head, answers: { "1": answers[0], "2": answers[1] } }],
    ["answers beside their head", { response: head, answers }],
    ["wrapped in data", { data: { ...head, questions: answers } }],
  ])("is read as %s", (_name, body) => {
    expect(readSingleResponse(body, 5)).toEqual(records);
  });

  it.each([null, undefined, "text", 7, [], {}, [[[[[records]]]]], { answers: [1, 2] }, [{}, {}]])(
    "%j holds nothing that can be compared",
    (body) => {
      expect(readSingleResponse(body, 5)).toBeUndefined();
    },
  );
});

describe("comparing answers", () => {
  it("does not depend on their order or on the fields around them", () => {
    expect(compareAnswers(records, [...answers].reverse())).toBe("equal");
  });

  it("tells more from different, also where answers repeat", () => {
    const [first, second] = answers;
    expect(compareAnswers([first], answers)).toBe("more");
    expect(compareAnswers([first], [first, first])).toBe("more");
    expect(compareAnswers([first, first], [first, second])).toBe("different");
    expect(compareAnswers(answers, [first])).toBe("different");
  });
});
