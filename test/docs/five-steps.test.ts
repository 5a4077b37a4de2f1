import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readSteps } from "../deploy/support/read-steps.ts";

it("the five steps of the front page have the blocks that the deploy test follows, and no other", () => {
  const steps = readSteps(readFileSync("README.md", "utf8"), "## Deploy in five steps");
  const languages = steps.map((blocks) => blocks.map(({ language }) => language));
  expect(languages).toEqual([["sh"], ["json"], ["sh"], ["sh", "text"], ["sh", "sh"]]);
});
