import { describe, expect, it } from "vitest";
import { asListed, compareAnswers } from "../../../lib/polling/contents.ts";

const head = { responseId: 5, surveyId: 1, completed: 1, dateCompleted: "2026-03-10 12:00:00" };
const answers = [
  { questionId: 1, answer: [1], comment: "", score: null, matrixScore: null },
  { questionId: 2, answer: [], comment: "text", score: 3, matrixScore: null },
];
const records = answers.map((answer) => ({ ...head, ...answer }));

describe("comparing answers", () => {
  it("does not depend on their order or on the fields around them", () => {
    expect(compareAnswers(records, [...answers].reverse())).toBe("equal");
  });

  // R2: a link in a comment may be signed anew at each read.
  it("does not depend on the text of a comment", () => {
    expect(compareAnswers(records, [answers[0], { ...answers[1], comment: "text, signed anew" }])).toBe("equal");
    expect(compareAnswers(records, [answers[0], { ...answers[1], comment: "" }])).toBe("different");
  });

  // R11
  it("tells more from different, also where answers repeat", () => {
    const [first, second] = answers;
    expect(compareAnswers([first], answers)).toBe("more");
    expect(compareAnswers([first], [first, first])).toBe("more");
    expect(compareAnswers(answers, [first])).toBe("different");
    expect(compareAnswers([first, first], [first, second])).toBe("different");
    expect(compareAnswers([first], [second])).toBe("different");
  });

  it("tells nothing from an answer that holds none", () => {
    expect(compareAnswers(answers, [])).toBe("different");
  });
});

it("what the single read does not tell of a response is taken from a completed record of the list", () => {
  const open = { ...head, completed: 0, dateCompleted: null, ...answers[0] };
  expect(asListed(answers, [open, ...records])).toMatchObject([
    { ...answers[0], completed: 1, dateCompleted: head.dateCompleted },
    { ...answers[1], completed: 1, dateCompleted: head.dateCompleted },
  ]);
});
