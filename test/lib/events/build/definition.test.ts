import { describe, expect, it } from "vitest";
import { readDefinition } from "../../../../lib/events/build/definition.ts";

const question = (id: number, params: object, more: object = {}) => ({
  [id]: { questionId: id, number: id, type: "simple", params: { question: `Q${id}`, ...params }, ...more },
});
const survey = (...questions: object[]) => ({
  surveyId: 7,
  modified: "2026-03-01 10:00:00",
  questionsById: Object.assign({}, ...questions),
});
const scores = (...keys: number[]) => ({ ...Object.fromEntries(keys.map((key) => [key, "1"])), max: "1" });
const plain = { others: [], isMatrix: false };
const three = ["a", "b", "c"];
const scored = (id: number, scoreArray: object, more: object = {}) =>
  question(id, { answers: three, scoreArray, ...more });

describe("the definition of a survey", () => {
  it("is read by question, in plain text", () => {
    const params = { question: "<p>How &amp; why?</p>", answers: ["<b>Good</b>", "Bad"], scoreArray: scores(1, 2) };
    expect(readDefinition(survey(question(31, params)))).toEqual({
      modified: "2026-03-01 10:00:00",
      indexBase: 1,
      questions: { 31: { number: 31, type: "simple", text: "How & why?", choices: ["Good", "Bad"], ...plain } },
    });
  });

  it("has the answers beside the choices, and tells a question with columns", () => {
    const params = { answers: three, open: "<i>Other</i>", noneAbove: "None of these" };
    expect(readDefinition(survey(question(1, params)))?.questions[1]?.others).toEqual(["Other", "None of these"]);
    expect(readDefinition(survey(question(1, { open: "", noneAbove: 7 })))?.questions[1]?.others).toEqual([]);
    const isMatrix = (columnElements: unknown) =>
      readDefinition(survey(question(1, { columnElements })))?.questions[1]?.isMatrix;
    expect([0, 1, 2, "3", undefined].map(isMatrix)).toEqual([false, false, true, true, false]);
  });

  it("is cut where a text is long, but not within a character", () => {
    const text = `${"x".repeat(999)}👍`;
    const read = readDefinition(survey(question(1, { question: text, answers: [text] })));
    expect(read?.questions[1]).toMatchObject({ text: "x".repeat(999), choices: ["x".repeat(999)] });
  });

  it("has null for what is not as documented", () => {
    const odd = survey(
      { 1: { questionId: "1", number: "one", type: 5, params: null } },
      { 2: { params: { answers: ["a", 7] } } },
      { three: { params: {} } },
      { 4: "odd" },
    );
    const nothing = { number: null, type: null, text: null, choices: null, ...plain };
    expect(readDefinition(odd)).toMatchObject({ indexBase: "unknown", questions: { 1: nothing, 2: nothing } });
    expect(Object.keys(readDefinition(odd)?.questions ?? {})).toEqual(["1", "2"]);
    expect(readDefinition({ modified: 7, questionsById: [] })).toEqual({
      modified: null,
      indexBase: "unknown",
      questions: {},
    });
  });

  it("is none where there is no map of questions, and is one without any where that is empty", () => {
    for (const questionsById of [undefined, null, "none", 7]) expect(readDefinition({ questionsById })).toBeUndefined();
    expect(readDefinition({ questionsById: {} })?.questions).toEqual({});
    const list = [{ questionId: 31, number: 1, type: "simple", params: { question: "Q", answers: [] } }];
    expect(readDefinition({ questionsById: list })?.questions).toEqual({
      31: { number: 1, type: "simple", text: "Q", choices: [], ...plain },
    });
  });

  it.each<[string, object[], unknown]>([
    [
      "a score for one more than there are, which may be the answer that is not in the list",
      [scored(1, scores(1, 2, 3), { open: "Other" })],
      "unknown",
    ],
    ["a score for answer 0", [scored(1, scores(0, 1, 2))], 0],
    ["a score for as many as there are", [scored(1, scores(1, 2, 3))], 1],
    ["scores for some in the middle", [scored(1, scores(1, 2))], "unknown"],
    ["no scores", [scored(1, {})], "unknown"],
    ["scores in a list", [scored(1, ["1", "2", "3"])], "unknown"],
    ["scores without answers", [question(1, { answers: [], scoreArray: scores(0) })], "unknown"],
    ["scores for 0 and for as many", [scored(1, scores(0, 3))], "contradictory"],
    ["one question that counts from 0 and one from 1", [scored(1, scores(0)), scored(2, scores(3))], "contradictory"],
    ["one question that tells and one that does not", [scored(1, scores(3)), question(2, { answers: three })], 1],
  ])("tells by %s from where answers count", (_name, questions, base) => {
    expect(readDefinition(survey(...questions))?.indexBase).toBe(base);
  });
});
