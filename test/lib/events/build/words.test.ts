import { describe, expect, it } from "vitest";
import type { SurveyDefinition } from "../../../../lib/events/build/definition.ts";
import { toMoment } from "../../../../lib/events/build/local-time.ts";
import { mayDiffer, withWords } from "../../../../lib/events/build/words.ts";

const plain = { others: [], isMatrix: false };
const colours = { text: "Which?", choices: ["red", "green", "blue"], isMatrix: false };
const definition: SurveyDefinition = {
  modified: "2026-03-10 08:00:00",
  indexBase: 1,
  questions: {
    7: { number: 1, type: "simple", ...colours, others: [] },
    8: { number: 2, type: "simple", text: "Why?", choices: [], ...plain },
    9: { number: 3, type: "simple", text: "Odd?", choices: null, ...plain },
    10: { number: 4, type: "multi", ...colours, others: ["Other"] },
    11: { number: 5, type: "single", ...colours, others: ["Other", "None of these"] },
    12: { number: 6, type: "ranking", ...colours, others: [] },
    13: { number: 7, type: "simple", ...colours, others: [], isMatrix: true },
    14: { number: 8, type: null, ...colours, others: [] },
    15: { number: 9, type: "simple", text: "How much?", choices: [], others: ["Other"], isMatrix: false },
  },
};
const untold: SurveyDefinition = { ...definition, indexBase: "unknown" };
const contradictory: SurveyDefinition = { ...definition, indexBase: "contradictory" };
const which = { number: 1, type: "simple", text: "Which?" };
const bare = (questionId: number | null, answer: number[], irregular: string[] = []) => ({
  value: { questionId, answer, comment: "", score: null, matrixScore: null as unknown },
  irregular,
});
const scored = { ...bare(7, [1, 2]), value: { ...bare(7, [1, 2]).value, matrixScore: [1, 2] } };

// R17
describe("the words of an answer", () => {
  it.each<[string, ReturnType<typeof bare>, SurveyDefinition, object]>([
    ["labels in the order of the answer", bare(7, [3, 1]), definition, { labels: ["blue", "red"] }],
    ["labels that count from 0", bare(7, [0, 2]), { ...definition, indexBase: 0 }, { labels: ["red", "blue"] }],
    ["no labels where nothing was chosen", bare(8, []), definition, { labels: [] }],
    ["none where nothing was chosen of a type that is not known", bare(12, []), definition, { labels: [] }],
    ["the text of the only answer beside the choices", bare(10, [1, 4]), definition, { labels: ["red", "Other"] }],
    ["the same counted from 0", bare(10, [3, 0]), { ...definition, indexBase: 0 }, { labels: ["Other", "red"] }],
    ["null for one of two such answers", bare(11, [1, 3, 4]), definition, { labels: ["red", "blue", null] }],
    ["null for a number that none of them can have", bare(10, [2, 99]), definition, { labels: ["green", null] }],
  ])("have %s", (_name, answer, known, expected) => {
    const { value, irregular } = withWords(answer, known, "full");
    expect(value).toMatchObject(expected);
    expect(value.question?.number).toBe(known.questions[answer.value.questionId ?? 0]?.number);
    expect(irregular).toEqual([]);
  });

  it.each<[string, ReturnType<typeof bare>, SurveyDefinition, string[]]>([
    ["an answer that the question does not have", bare(7, [1, 4]), definition, ["answers.N.labels"]],
    ["answer 0 where they count from 1", bare(7, [0]), definition, ["answers.N.labels"]],
    ["choices that are not as documented", bare(9, [1]), definition, ["answers.N.labels"]],
    ["a question that the survey does not have", bare(5, [1]), definition, ["answers.N.question"]],
    ["a question without an id", bare(null, [1]), definition, ["answers.N.question"]],
    ["an answer that could not be read", bare(7, [], ["answer"]), definition, ["answers.N.answer"]],
    ["a scale without choices", bare(8, [9]), definition, []],
    ["more answers than choices", bare(7, [1, 1, 1, 1]), definition, ["answers.N.labels"]],
    ["the same answer twice", bare(7, [1, 1]), definition, ["answers.N.labels"]],
    ["answer 0 beside such an answer", bare(10, [0, 4]), definition, ["answers.N.labels"]],
    ["a scale without choices that has an answer beside it", bare(15, [1]), definition, []],
    ["scores of a matrix", scored, definition, ["labels:matrix"]],
    ["a question with columns", bare(13, [1, 2]), definition, ["labels:matrix"]],
    ["a type that is not known", bare(12, [3, 1, 2]), definition, ["labels:type"]],
    ["a type that cannot be read", bare(14, [1]), definition, ["labels:type"]],
    ["no evidence from where they count", bare(7, [1]), untold, ["labels:unknown-index-base"]],
    ["contradictory evidence of it", bare(7, [1]), contradictory, ["labels:contradictory-index-base"]],
  ])("have null for labels with %s", (_name, answer, known, named) => {
    const { value, irregular } = withWords(answer, known, "full");
    expect(value.labels).toBeNull();
    expect(irregular).toEqual(named.map((name) => name.replace("N", String(answer.value.questionId ?? "?"))));
  });

  it("are the labels alone, or nothing at all, where that is configured", () => {
    expect(withWords(bare(7, [1]), definition, "labels").value).toMatchObject({ question: null, labels: ["red"] });
    expect(withWords(bare(7, [1]), definition, "none").value).toMatchObject({ question: null, labels: null });
    expect(withWords(bare(7, [1]), undefined, "full").value).toMatchObject({ question: null, labels: null });
    expect(withWords(bare(7, [1]), definition, "full").value).toMatchObject({ question: which, labels: ["red"] });
  });
});

describe("words may differ from those that the respondent saw", () => {
  const now = Date.UTC(2026, 2, 10, 12);
  const known = { modified: definition.modified, listedAt: now, timeZone: undefined, detectedAt: now };
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;
  /** Begun then, and completed five minutes before noon. */
  const begun = (local: string | null, timeZone?: string) => ({
    started: toMoment(local, timeZone),
    completed: toMoment("2026-03-10 11:55:00", timeZone),
    timeZone,
  });

  const usual = begun("2026-03-10 11:30:00");
  const inZone = begun("2026-03-10 11:30:00", "UTC");

  it.each<[string, object, boolean]>([
    ["edited well before the respondent began", usual, false],
    ["edited within three hours before, without a zone", begun("2026-03-10 10:59:59"), true],
    ["the same with a zone", begun("2026-03-10 08:00:01", "UTC"), false],
    ["edited in the same second", begun("2026-03-10 08:00:00", "UTC"), true],
    ["edited between begin and completion", begun("2026-03-10 07:00:00", "UTC"), true],
    ["the list shows another edition", { ...usual, modified: "2026-03-10 11:00:00" }, true],
    ["the list shows none", { ...usual, modified: null }, true],
    ["no list has shown the survey", { ...usual, modified: undefined, listedAt: undefined }, true],
    ["no date of the begin", begun(null), true],
    ["no date of completion", { ...usual, completed: { local: null } }, true],
    ["a date of the future", begun("2027-03-10 11:30:00"), true],
    ["a list of less than a minute ago", { ...usual, listedAt: now - 59_000 }, false],
    ["an earlier list", { ...usual, listedAt: now - 4 * MINUTE }, true],
    ["the same with a zone, which may be wrong", { ...inZone, listedAt: now - 4 * MINUTE }, true],
    ["an earlier list, long after", { ...usual, listedAt: now + 24 * HOUR, detectedAt: now + 25 * HOUR }, false],
  ])("%s: %s", (_name, circumstances, expected) => {
    const by = { ...known, ...circumstances } as Parameters<typeof mayDiffer>[1];
    expect(mayDiffer(definition, by)).toBe(expected);
  });

  it("where the clock has shown the time of the begin twice", () => {
    const timeZone = "Europe/Warsaw";
    const started = toMoment("2026-10-25 02:30:00", timeZone);
    const completed = toMoment("2026-10-25 04:30:00", timeZone);
    const at = Date.UTC(2026, 9, 25, 12);
    const by = { modified: definition.modified, started, completed, timeZone, listedAt: at, detectedAt: at };
    expect(mayDiffer(definition, by)).toBe(true);
  });
});
