import { describe, expect, it } from "vitest";
import { jsonDocuments, jsonProblems } from "./support/json-kinds.ts";
import { documents } from "./support/markdown.ts";

const blocks = documents.flatMap(({ fenced }) => fenced.filter(({ language }) => language === "json"));

/** Languages of blocks, each of which has a test of its own, and those of blocks that nothing can be held against. */
const TESTED = ["sh", "json", "ts", "js", "python"];
const NOT_TESTED = ["text", "jsonc", "mermaid", "diff", "java", "csv", "sql"];

describe("the blocks of the documents", () => {
  it.each(documents)("$path: each block says what it is", ({ fenced }) => {
    const unnamed = fenced.filter(({ language }) => ![...TESTED, ...NOT_TESTED].includes(language));
    expect(unnamed.map(({ place, language }) => `${place}: "${language}"`)).toEqual([]);
  });

  it.each(blocks)("$place: is an event, a pattern or a configuration, as its schema has it", ({ code }) => {
    expect(jsonDocuments(code).flatMap(jsonProblems)).toEqual([]);
  });

  it.each([
    '{ "baseUrl": "https://surveys.example.com", "intervall": "1m" }',
    '{ "baseUrl": "https://surveys.example.com", "interval": "1 minute" }',
    '"bus": { "nane": "surveys" }',
    '{ "detail": { "data": { "surveyID": [1] } } }',
    '{ "detail-type": ["response.finished"] }',
    '{ "detail-type": ["response.completed"], "detial": {} }',
    '{ "detail-type": "response.completed", "detail": { "meta": {}, "data": {} } }',
    '"webhooks": [{ "name": "crm", "url": "https://crm.example.com", "where": { "data": { "surveyID": [1] } } }]',
    '{ "anything": 1 }',
    "[1]",
  ])("would be refused: %s", (code) => {
    expect(jsonDocuments(code).flatMap(jsonProblems)).not.toEqual([]);
  });

  it.each([
    '{ "baseUrl": "https://surveys.example.com", "privacy": { "ip": "drop" } }',
    '"subscribers": { "accounts": ["210987654321"] }',
    '{ "source": ["survey-poller"], "detail-type": ["response.completed", "response.updated"] }',
    '{ "detail": { "data": { "surveyId": [1] } } }\n{ "detail": { "data": { "surveyId": [2] } } }',
    '{ "data": { "summary": { "nps": { "class": ["detractor"] } } } }',
  ])("would be taken: %s", (code) => {
    expect(jsonDocuments(code).flatMap(jsonProblems)).toEqual([]);
  });
});
