import { describe, expect, it } from "vitest";
import { documents } from "./support/markdown.ts";
import { sentencesOf, wordsOf } from "./support/sentences.ts";

/** Words in a sentence: how many at most, and how many in nine of ten. */
const LONGEST = 25;
const USUAL = 20;
const SHARE = 0.9;

/** Sentences that may be longer, each with its reason. */
const MAY_BE_LONGER: ReadonlyMap<string, string> = new Map();

/** Lists in the specification, which its own test reads: names between semicolons, no sentences. */
const NAMES = /^(kept by|tests|faults|rare states): /;

const partsOf = (path: string, text: string): string[] =>
  path === "docs/spec.md" && NAMES.test(text) ? text.split("; ") : [text];

interface Sentence {
  place: string;
  text: string;
  words: number;
}

/** READMEs beside tests and benches are for those who work on them. */
const isForReaders = ({ path }: { path: string }): boolean => !/^(bench|test)\//.test(path);

const found = documents.filter(isForReaders).map(({ path, prose }) => ({
  path,
  sentences: prose.flatMap(({ place, text }) =>
    partsOf(path, text)
      .flatMap(sentencesOf)
      .map((sentence): Sentence => ({ place, text: sentence, words: wordsOf(sentence) })),
  ),
}));

const shown = ({ place, words, text }: Sentence): string => `${place}: ${words} words: ${text}`;

describe("the documents are in plain English", () => {
  it.each(found)("$path: no sentence is over 25 words", ({ sentences }) => {
    const long = sentences.filter(({ words, text }) => words > LONGEST && !MAY_BE_LONGER.has(text));
    expect(long.map(shown)).toEqual([]);
  });

  it.each(found)("$path: nine of ten sentences have 20 words or fewer", ({ sentences }) => {
    const longer = sentences.filter(({ words }) => words > USUAL);
    const allowed = Math.floor(sentences.length * (1 - SHARE));
    expect(longer.length > allowed ? longer.map(shown) : []).toEqual([]);
  });

  it("has no exception that is no longer needed", () => {
    const all = new Set(found.flatMap(({ sentences }) => sentences.map(({ text }) => text)));
    expect([...MAY_BE_LONGER.keys()].filter((text) => !all.has(text))).toEqual([]);
  });
});

describe("a sentence", () => {
  it.each([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["It costs $3.51 in v3.0 of the file a.ts.", ["It costs $3.51 in v3.0 of the file a.ts."]],
    ["First: second; third", ["First: second; third"]],
    ['He said "no." She went.', ['He said "no."', "She went."]],
    ["● – →", []],
  ])("%s", (prose, sentences) => {
    expect(sentencesOf(prose)).toEqual(sentences);
  });

  it("has as many words as a reader counts", () => {
    expect(wordsOf("One – two, code: 3 %")).toBe(4);
  });
});
