import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { checkWhere } from "../../infra/subscriptions/check-where.ts";
import { createMatcher } from "../../lib/local/aws/event-bridge/matcher.ts";

const [, after = ""] = readFileSync("docs/events.md", "utf8").split("\n## Patterns that work\n");
const [section = ""] = after.split("\n## ");
const patterns = [...section.matchAll(/^\| ([^|]+) \| `(\{.*\})` \|$/gm)].map(([, wish = "", text = ""]) => ({
  wish,
  where: JSON.parse(text) as unknown,
}));

const golden = globSync("contract/golden/*.json").map((path) => ({
  name: basename(path, ".json"),
  event: JSON.parse(readFileSync(path, "utf8")) as object,
}));

/** What a reader expects of the patterns that only some events match. */
const EXPECTED: Readonly<Record<string, string[]>> = {
  detractors: ["detractor"],
  "with a comment": ["comment", "large"],
  "news, without history": golden.map(({ name }) => name).filter((name) => name !== "incomplete"),
  "metrics are missing": ["incomplete"],
  "anything irregular": ["irregular", "matrix"],
  "answers in S3": ["large"],
  "no test events": golden.map(({ name }) => name).filter((name) => name !== "test"),
};

function matched(where: unknown): string[] {
  const isMatch = createMatcher({ "detail-type": ["response.completed"], detail: where });
  return golden.filter(({ event }) => isMatch(event)).map(({ name }) => name);
}

const COMPLETED = new Set(matched({ data: { surveyId: [{ exists: true }] } }));

describe("the patterns of docs/events.md", () => {
  it("are all read", () => {
    expect(patterns).toHaveLength(section.match(/^\| .*`\{.*\}` \|$/gm)?.length ?? 0);
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.map(({ wish }) => wish)).toEqual(expect.arrayContaining(Object.keys(EXPECTED)));
  });

  it.each(patterns)("$wish: is taken by the construct, and matches golden events", ({ wish, where }) => {
    expect(checkWhere(where)).toEqual([]);
    const found = matched(where);
    expect(found.length).toBeGreaterThan(0);
    const expected = EXPECTED[wish]?.filter((name) => COMPLETED.has(name));
    if (expected !== undefined) expect(found.toSorted()).toEqual(expected.toSorted());
  });
});
