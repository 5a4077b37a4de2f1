import { describe, expect, it } from "vitest";
import {
  fitting,
  readSingleResponse,
  readV2,
  recordsBody,
  surveyBody,
} from "../../../../lib/survey-api/bodies/index.ts";
import { documentOf } from "../schemas/support/documents.ts";
import { type Json, replaced } from "../schemas/support/json.ts";

const records = documentOf("2.4").body;
const survey = documentOf("2.2").body;

describe("a v2 body", () => {
  it.each([
    ["as in v3", records],
    ["in data", { data: records }],
    ["in result", { status: 200, result: records }],
  ])("is read %s", (_name, raw) => {
    expect(readV2(raw, fitting(recordsBody))).toEqual({ value: records, raw });
  });

  it("is read where v3 has an array with one object", () => {
    const [value] = survey as Json[];
    for (const body of [survey, { data: survey }, { data: value ?? null }]) {
      expect(readV2(body, fitting(surveyBody)).value).toEqual(value);
    }
  });

  it("is read where v3 shows no shape either", () => {
    const about = { operation: "v2 response by id", status: 200, attempts: 1 } as const;
    const raw = { data: { responseId: 5, answers: [{ questionId: 1 }] } };
    const { value } = readV2(raw, (body) => readSingleResponse(body, { responseId: 5 }, about));
    expect(value).toEqual({ responseId: 5, records: [{ responseId: 5, questionId: 1 }] });
  });

  it.each([
    ["a field of another type", replaced(records, [0, "comment"], 7)],
    ["another shape", { rows: records }],
    ["two wrappers", { data: { data: records } }],
    ["a text", "maintenance"],
  ])("has no value but is kept raw with %s", (_name, raw) => {
    expect(readV2(raw, fitting(recordsBody))).toEqual({ value: undefined, raw });
  });
});
