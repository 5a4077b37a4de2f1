import { describe, expect, it } from "vitest";
import * as bodies from "../../../../lib/survey-api/bodies/documents.ts";
import { documentOf } from "../documents/support/documents.ts";
import { type Json, type Path, replaced } from "../documents/support/json.ts";

const records = documentOf("2.4").body as { [name: string]: Json }[];
const survey = documentOf("2.2").body;
const metrics = documentOf("2.6").body;

const readRecordsWith = (path: Path, put: Json | undefined) => {
  const body = replaced(records, path, put);
  return { body, reading: bodies.records.read(body) };
};

describe("a list of resources", () => {
  it.each<[string, Json, number]>([
    ["responseId", "44001", 44001],
    ["completed", "1", 1],
    ["completed", false, 0],
  ])("understands the %s %j, and tells it", (name, put, understood) => {
    const { body, reading } = readRecordsWith([1, name], put);
    expect(reading).toEqual({
      value: replaced(body, [1, name], understood),
      irregular: [{ path: `[1].${name}`, expected: "integer" }],
    });
  });

  it.each<[string, Json | undefined]>([
    ["responseId", undefined],
    ["responseId", null],
    ["responseId", "r-44001"],
    ["responseId", true],
    ["responseId", 1.5],
    ["responseId", 2 ** 60],
    ["responseId", "9007199254740993"],
    ["completed", null],
    ["completed", "maybe"],
    ["completed", undefined],
  ])("is unreadable when the %s of an element is %j", (name, put) => {
    const { reading } = readRecordsWith([1, name], put);
    expect(reading).toEqual({ unreadable: [{ path: `[1].${name}`, expected: "integer" }] });
  });

  it("tells only what had to be readable when something is not", () => {
    const body = [{ ...records[0], comment: 7 }, { ...records[1], completed: "maybe", comment: 7 }, "text"];
    expect(bodies.records.read(body)).toEqual({
      unreadable: [
        { path: "[1].completed", expected: "integer" },
        { path: "[2]", expected: "object" },
      ],
    });
  });
});

describe("one resource", () => {
  it("has empty maps where empty arrays were read, also beside something irregular", () => {
    const odd: Path = [0, "blocksById", "501", "blockName"];
    const empty: Path = [0, "blocksById", "501", "pagesOrder"];
    const params: Path = [0, "questionsById", "9001", "params", "scoreArray"];
    const withBoth = (put: Json) => replaced(replaced(replaced(survey, odd, 5), empty, put), params, put);
    expect(bodies.survey.read(withBoth([]))).toEqual({
      value: (withBoth({}) as Json[])[0],
      irregular: [{ path: "[0].blocksById.501.blockName", expected: "string" }],
    });
  });

  it("hides the key of a map that may be data", () => {
    const body = replaced(survey, [0, "blocksById", "anna@example.org"], 7);
    expect(bodies.survey.read(body)).toMatchObject({ irregular: [{ path: "[0].blocksById.…", expected: "object" }] });
  });

  it("may hold a field named __proto__, which stays a field", () => {
    const body: unknown = JSON.parse('{"blocksOrder":[],"__proto__":{"surveyId":9}}');
    expect(bodies.survey.read(body)).toMatchObject({ unreadable: [{ path: "surveyId", expected: "integer" }] });
    const whole = { ...(survey as Record<string, Json>[])[0], ...(body as object) };
    const reading = bodies.survey.read(whole);
    expect("value" in reading && Object.hasOwn(reading.value, "__proto__")).toBe(true);
    expect("value" in reading && Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
  });

  it.each([[[]], [null], [[1, 2]], ["text"]])("is not in %j", (body) => {
    expect(bodies.survey.read(body)).toEqual({ unreadable: [{ path: "", expected: "array with one object" }] });
  });

  it.each([[[7]], [[null]], [[[]]]])("is not in %j", (body) => {
    expect(bodies.survey.read(body)).toEqual({ unreadable: [{ path: "[0]", expected: "object" }] });
  });
});

describe("a map of resources", () => {
  const map = (metrics as Record<string, Json>[])[0] ?? {};

  it("leaves out what is null beside it", () => {
    expect(bodies.metrics.read([map, null])).toMatchObject({ value: map });
  });

  it.each([[[7]], [[map, map]], [[[1], [2]]]])("is not in %j", (body) => {
    expect(bodies.metrics.read(body)).toEqual({ unreadable: [{ path: "", expected: "array with one object" }] });
  });

  it("is unreadable with an element that is no object, or of another kind", () => {
    expect(bodies.reportMetrics.read([{ "31": null }])).toEqual({
      unreadable: [{ path: "[0].31", expected: "object" }],
    });
    const reading = bodies.reportMetrics.read({ error: { code: 7 } });
    expect("unreadable" in reading && reading.unreadable).toContainEqual({
      path: "error.metricId",
      expected: "integer",
    });
  });
});
