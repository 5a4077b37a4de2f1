import { describe, expect, it } from "vitest";
import { readSingleResponse } from "../../../../lib/survey-api/bodies/not-shown.ts";
import { AnswerMismatchError } from "../../../../lib/survey-api/errors.ts";

const about = { operation: "get survey response by id", status: 200, attempts: 1 } as const;
const read = (body: unknown, responseId: number | undefined) =>
  readSingleResponse(body, responseId === undefined ? {} : { responseId }, about);

const head = { responseId: 5, surveyId: 1, completed: 1, dateCompleted: "2026-03-10 12:00:00" };
const answers = [
  { questionId: 1, answer: [1], comment: "", score: null, matrixScore: null },
  { questionId: 2, answer: [], comment: "text", score: 3, matrixScore: null },
];
const records = answers.map((answer) => ({ ...head, ...answer }));
const others = records.map((record) => ({ ...record, responseId: 6 }));

describe.each([
  ["asked for by id", 5],
  ["asked for by crk", undefined],
])("the body of a response %s", (_name, responseId) => {
  it.each([
    ["an array of records", records],
    ["that array in an array", [records]],
    ["an object with the answers as an array", { ...head, answers }],
    ["that object in an array", [{ ...head, answers }]],
    ["answers keyed by question", { ...head, answers: { "1": answers[0], "2": answers[1] } }],
    ["answers beside their head", { response: head, answers }],
    ["answers in their head", { response: { ...head, answers } }],
    ["wrapped in data", { data: { ...head, questions: answers } }],
    ["beside the survey's questions", { questions: [{ questionId: 9 }], ...head, answers }],
    ["beside an empty list", { answers: [], ...head, records: answers }],
    ["records whose ids are in quotes", records.map((record) => ({ ...record, responseId: "5" }))],
  ])("is read as %s", (_shape, body) => {
    const found = read(body, responseId);
    expect(found?.responseId).toBe(5);
    expect(found?.records.map((record) => ({ ...record, responseId: Number(record.responseId) }))).toEqual(records);
  });

  it("is read as one bare record", () => {
    expect(read(records[0], responseId)).toEqual({ responseId: 5, records: [records[0]] });
  });

  it.each([
    ["an empty array", { ...head, answers: [] }],
    ["an empty map", [{ ...head, answers: {} }]],
    ["an empty list beside the head", { response: head, answers: [] }],
  ])("is a response without answers with %s", (_shape, body) => {
    expect(read(body, responseId)).toEqual({ responseId: 5, records: [] });
  });

  it.each([
    [null],
    [undefined],
    ["text"],
    [7],
    [[]],
    [{}],
    [[[[[records]]]]],
    [{ answers: [1, 2] }],
    [{ answers: [] }],
    [[{}, {}]],
    [{ error: "no such response", data: [] }],
  ])("is not in %j", (body) => {
    expect(read(body, responseId)).toBeUndefined();
  });
});

describe("a body that may be of another response", () => {
  it.each([
    ["records of another", others],
    ["a head of another", { ...head, responseId: 6, answers }],
    ["no answers of another", { ...head, responseId: 6, answers: [] }],
    ["wrapped records of another", { data: { ...head, responseId: "6", answers } }],
  ])("%s is not what was asked for", (_name, body) => {
    expect(() => read(body, 5)).toThrow(AnswerMismatchError);
  });

  it("nor is one of another survey", () => {
    const asked = { surveyId: 2, responseId: 5 };
    expect(() => readSingleResponse({ ...head, answers }, asked, about)).toThrow(AnswerMismatchError);
    expect(readSingleResponse({ ...head, answers }, { ...asked, surveyId: 1 }, about)?.responseId).toBe(5);
  });

  it("leaves out the records of others", () => {
    expect(read([...others, ...records], 5)).toEqual({ responseId: 5, records });
  });

  it("cannot choose between two when none was asked for", () => {
    expect(read([...others, ...records], undefined)).toBeUndefined();
  });

  it("takes records that show no id, with the id asked for", () => {
    expect(read(answers, 5)).toEqual({
      responseId: 5,
      records: answers.map((answer) => ({ responseId: 5, ...answer })),
    });
    expect(read(answers, undefined)).toEqual({ responseId: undefined, records: answers });
  });

  it("is not misled by a field named __proto__", () => {
    const body: unknown = JSON.parse('{"__proto__":{"responseId":6},"answers":[{"questionId":1}]}');
    expect(read(body, 5)?.responseId).toBe(5);
    expect(read(body, undefined)?.responseId).toBeUndefined();
  });
});
