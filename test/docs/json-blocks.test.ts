import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { checkWhere } from "../../infra/subscriptions/check-where.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { DETAIL_TYPE, detailSchemas, EVENT_TYPES, type EventType } from "../../lib/events/index.ts";
import { isObject } from "../../lib/json.ts";
import { createMatcher } from "../../lib/local/aws/event-bridge/matcher.ts";
import { documents } from "./support/markdown.ts";

const CONFIGURATION = new Set(["sources", "bus", "events", "subscribers", "monitoring", "webhooks"]);
const ENVELOPE = new Set(["source", "account", "region", "time", "resources"]);
const SOURCE = { baseUrl: "https://surveys.example.com" };

/** The JSON documents of a block: one, or one a line. Lines that are a part of an object, such as `"bus": {…}`, get its braces. */
function jsonDocuments(code: string): unknown[] {
  const text = /^\s*"[^"]+":/.test(code) ? `{${code}}` : code;
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.trim().split("\n");
    return lines.map((line) => JSON.parse(line) as unknown);
  }
}

/** What a JSON document has wrong, by what it is: an event, a pattern or a configuration. */
function jsonProblems(document: unknown): string[] {
  if (!isObject(document)) return ["is no object: an array or a value needs another language behind the fence"];
  if (typeof document["detail-type"] === "string") return eventProblems(document["detail-type"], document.detail);
  if (isObject(document.meta) && isObject(document.data)) return eventProblems(DETAIL_TYPE, document);
  if (Array.isArray(document["detail-type"]) || isObject(document.detail)) return patternProblems(document);
  if ("baseUrl" in document) return configurationProblems(document);
  if (Object.keys(document).some((field) => CONFIGURATION.has(field)))
    return configurationProblems({ sources: [SOURCE], ...document });
  // A pattern without its envelope, as `where` takes it.
  if (isObject(document.data) || isObject(document.meta)) return whereProblems(document, EVENT_TYPES);
  return ["is neither an event, nor a pattern, nor a configuration: write ```jsonc for another one"];
}

const isType = (type: unknown): type is EventType => EVENT_TYPES.some((one) => one === type);

function eventProblems(type: string, detail: unknown): string[] {
  if (!isType(type)) return [`there are no events of the type ${type}`];
  const result = detailSchemas[type].safeParse(detail);
  return result.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
}

function patternProblems({ "detail-type": types, detail, ...rest }: Record<string, unknown>): string[] {
  const named: readonly unknown[] = Array.isArray(types) ? types : EVENT_TYPES;
  return [
    ...Object.keys(rest).flatMap((field) => (ENVELOPE.has(field) ? [] : [`an envelope has no field "${field}"`])),
    ...named.flatMap((type) => (isType(type) ? [] : [`there are no events of the type ${type}`])),
    ...(detail === undefined ? [] : whereProblems(detail, named.filter(isType))),
  ];
}

function whereProblems(where: unknown, types: readonly EventType[]): string[] {
  return checkWhere(where, types).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function configurationProblems(input: object): string[] {
  try {
    parseConfig(input, {
      deployed: true,
      checkPattern: (where, types) => checkWhere(where, Array.isArray(types) ? types.filter(isType) : undefined),
    });
    return [];
  } catch (error) {
    return [String(error)];
  }
}

const problemsOf = (code: string): string[] => jsonDocuments(code).flatMap(jsonProblems);

/** Languages of blocks, each of which has a test of its own, and those of blocks that nothing can be held against. */
const TESTED = ["sh", "json", "ts", "js", "python"];
const NOT_TESTED = ["text", "jsonc", "mermaid", "diff", "java", "csv", "sql", "hcl"];
const blocks = documents.flatMap(({ fenced }) => fenced);

describe("the blocks of the documents", () => {
  it("say each what it is", () => {
    const unnamed = blocks.filter(({ language }) => ![...TESTED, ...NOT_TESTED].includes(language));
    expect(unnamed.map(({ place, language }) => `${place}: "${language}"`)).toEqual([]);
  });

  it.each(blocks.filter(({ language }) => language === "json"))(
    "$place: is an event, a pattern or a configuration, as its schema has it",
    ({ code }) => expect(problemsOf(code)).toEqual([]),
  );

  it.each([
    '{ "baseUrl": "https://surveys.example.com", "interval": "1 minute" }',
    '{ "detail-type": ["response.completed"], "detial": {} }',
    '{ "detail-type": "response.completed", "detail": { "meta": {}, "data": {} } }',
    '"webhooks": [{ "name": "crm", "url": "https://crm.example.com", "where": { "data": { "surveyID": [1] } } }]',
    '{ "anything": 1 }',
    "[1]",
  ])("would be refused: %s", (code) => expect(problemsOf(code)).not.toEqual([]));
});

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
