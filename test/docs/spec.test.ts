import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const rules = readFileSync("docs/internals/spec.md", "utf8")
  .split(/^### /m)
  .slice(1)
  .map((part) => ({ name: part.split("\n")[0] ?? "", kept: named(part, "kept by"), tests: named(part, "tests") }));

/** What stands in code in the line of a rule that begins with this. */
function named(part: string, kind: string): string[] {
  const line = new RegExp(`^- ${kind}: (.*)$`, "m").exec(part)?.[1] ?? "";
  return [...line.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? "");
}

it.each(rules)("rule $name names folders that keep it and tests that hold it", ({ kept, tests }) => {
  expect(kept).not.toEqual([]);
  expect(tests).not.toEqual([]);
  expect([...kept, ...tests].filter((path) => !existsSync(path))).toEqual([]);
});
