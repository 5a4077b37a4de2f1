import { describe, expect, it } from "vitest";
import { documents } from "./support/markdown.ts";

/** Words that the project no longer uses, and the word that has taken the place of each. */
const GONE: readonly [pattern: RegExp, instead: string][] = [
  [/\bsweep(s|ing)?\b/i, "search or patrol"],
  [/\blook-?backs?\b/i, "patrol"],
  [/\bscrub(s|bing|bed)?\b/i, "full pass"],
  [/\bspill(s|ed|ing)?\b/i, "claim check"],
  [/\bchas(e|es|ed|ing)\b/i, "search"],
  [/\bpeek(s|ed|ing)?\b/i, "read"],
  [/\bcarr(y|ies) over\b|\bcarry\b/i, "keep, hold or have"],
  [/\bpieces?\b/i, "part, page or slice"],
  [/\bby itself\b/i, "a plainer word"],
];

/** Where an old word is right, by path: what it stands in. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {};

const isRight = (path: string, text: string): boolean => (RIGHT[path] ?? []).some((part) => text.includes(part));

const forReaders = documents.filter(({ path }) => !/^(bench|test)\//.test(path));

describe("the documents have the words of the glossary", () => {
  it.each(forReaders)("$path: no word that is gone", ({ path, prose }) => {
    const old = prose
      .filter(({ text }) => !isRight(path, text))
      .flatMap(({ place, text }) =>
        GONE.flatMap(([pattern, instead]) => {
          const word = pattern.exec(text)?.[0];
          return word === undefined ? [] : [`${place}: "${word}": say ${instead}: ${text.slice(0, 100)}`];
        }),
      );
    expect(old).toEqual([]);
  });

  it("has no exception that is no longer needed", () => {
    const unused = Object.entries(RIGHT).flatMap(([path, parts]) => {
      const prose = documents.find((document) => document.path === path)?.prose ?? [];
      return parts.filter((part) => !prose.some(({ text }) => text.includes(part))).map((part) => `${path}: ${part}`);
    });
    expect(unused).toEqual([]);
  });
});
