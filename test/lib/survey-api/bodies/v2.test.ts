import { describe, expect, it } from "vitest";
import {
  type BodyReader,
  documented,
  metadataBody,
  questionsBody,
  readV2,
  recordsBody,
  surveyBody,
  surveyListBody,
} from "../../../../lib/survey-api/bodies/index.ts";
import { documentOf } from "../schemas/support/documents.ts";
import { type Json, replaced } from "../schemas/support/json.ts";

const records = documentOf("2.4").body;
const survey = documentOf("2.2").body;
const about = { operation: "v2 responses", status: 200, attempts: 1 } as const;
const read = <T>(raw: unknown, reader: BodyReader<T>, strict = false) => readV2(raw, documented(reader, strict), about);

describe("a v2 body", () => {
  it.each([
    ["as in v3", records],
    ["in data", { data: records }],
    ["in result", { status: 200, result: records }],
  ])("is read %s", (_name, raw) => {
    expect(read(raw, recordsBody)).toEqual({ value: records, raw });
  });

  it("is read where v3 has an array with one object, and what wraps it is not taken for it", () => {
    const [value = null] = survey as Json[];
    for (const body of [survey, { data: survey }, { data: value }, { surveyId: 7, data: value }]) {
      expect(read(body, surveyBody).value).toEqual(value);
    }
  });

  it.each<[string, Json, BodyReader<unknown>, string]>([
    ["surveys", documentOf("2.1").body, surveyListBody, "languageId"],
    ["a survey", survey, surveyBody, "title"],
    ["questions", documentOf("2.3").body, questionsBody, "number"],
    ["records", records, recordsBody, "comment"],
    ["metadata", documentOf("2.5").body, metadataBody, "os"],
  ])(
    "of %s is taken with a field of another type, as in v3, but not where the client is strict",
    (_name, body, reader, field) => {
      const odd = replaced(body, [0, field], [7]);
      const reading = reader(odd);
      expect(read(odd, reader).value).toEqual("value" in reading ? reading.value : "unreadable");
      expect(read(odd, reader, true).value).toBeUndefined();
    },
  );

  it.each([
    ["a record whose response cannot be told", replaced(records, [0, "responseId"], "seven")],
    ["another shape", { rows: records }],
    ["two wrappers", { data: { data: records } }],
    ["a text", "maintenance"],
  ])("has no value but is kept raw with %s", (_name, raw) => {
    expect(read(raw, recordsBody)).toEqual({ value: undefined, raw });
  });
});
