import { globSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readDocument } from "../docs/support/markdown.ts";
import { play } from "./interpreter.ts";

const stories = globSync("test/stories/*.txt").sort();

it("are there", () => expect(stories.length).toBeGreaterThan(0));

// WRITE_STORIES=1 writes down what is printed now.
it.each(stories)("%s", async (file) => {
  const story = readFileSync(file, "utf8");
  const played = await play(story);
  if (process.env.WRITE_STORIES !== undefined) writeFileSync(file, played);
  else expect(played).toBe(story);
});

it("are shown as they are in how it works", () => {
  const shown = readDocument("docs/how-it-works.md").fenced.flatMap(({ code }) =>
    code.startsWith("# R") ? [code] : [],
  );
  const known = stories.map((file) => readFileSync(file, "utf8").trimEnd());
  expect(shown).toHaveLength(3);
  expect(shown.filter((code) => !known.includes(code.trimEnd()))).toEqual([]);
});
