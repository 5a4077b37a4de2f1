import { describe, expect, it } from "vitest";
import { responseCompleted, responseCompletedJsonSchema } from "../../../lib/events/index.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const moment = { local: "2026-03-10 12:00:00", at: "2026-03-10T11:00:00Z", ambiguous: false };
const detail = {
  meta: {
    eventId: "x",
    schemaVersion: "1",
    sourceName: "main",
    detectedAt: "2026-03-10T12:00:00.000Z",
    origin: "head",
    revision: 1,
    replaces: "y",
    complete: true,
    missing: [],
    irregular: [],
  },
  data: {
    surveyId: 1,
    responseId: 2,
    survey: { name: "Visit", modified: "2026-03-01 10:00:00", languageId: 23 },
    summary: { nps: { score: 9, class: "promoter" }, scorePercent: 90, durationSeconds: 120, comments: 0, test: false },
    response: {
      country: "PL",
      crk: null,
      promoCode: null,
      hasComment: false,
      answerCount: 1,
      started: moment,
      completed: moment,
      raw: {},
      extra: {},
    },
    metrics: [{ key: "31", metricId: 31, score: { pointsSum: 1, nps: true }, raw: {} }],
    metadata: { ip: "203.0.113.77", raw: {} },
    answers: [
      {
        questionId: 7,
        answer: [3],
        comment: "",
        score: null,
        matrixScore: null,
        question: { number: 1, type: "simple", text: "Which?" },
        labels: ["red"],
        raw: {},
        extra: {},
      },
    ],
    labelsMayDiffer: false,
    answersRef: { bucket: "b", key: "k", bytes: 2 },
  },
} satisfies Json;

/** Copies of `value`, each with a field more in another one of its objects. */
function withOneMore(value: Json): Json[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => withOneMore(item).map((more) => value.with(i, more)));
  }
  if (typeof value !== "object" || value === null) return [];
  const here: Json = { ...value, addedLater: { anything: [1] } };
  return [
    here,
    ...Object.entries(value).flatMap(([name, field]) => withOneMore(field).map((more) => ({ ...value, [name]: more }))),
  ];
}

/** Every subschema, with the path at which it stands. */
function* subschemas(schema: unknown, path = "#"): Generator<[string, Record<string, unknown>]> {
  if (Array.isArray(schema)) for (const [i, item] of schema.entries()) yield* subschemas(item, `${path}/${i}`);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  yield [path, schema as Record<string, unknown>];
  for (const [name, field] of Object.entries(schema)) yield* subschemas(field, `${path}/${name}`);
}

describe("the contract", () => {
  it("takes a whole event", () => {
    expect(responseCompleted.parse(detail)).toEqual(detail);
  });

  it("takes a field that is added later, in every object of it, and keeps it", () => {
    const additions = withOneMore(detail);
    expect(additions).toHaveLength(21);
    for (const addition of additions) expect(responseCompleted.parse(addition)).toEqual(addition);
  });

  it("takes a word that is added later to a list of words", () => {
    const later = { ...detail, meta: { ...detail.meta, origin: "elsewhere" } };
    expect(responseCompleted.parse(later)).toEqual(later);
  });

  it.each([
    ["an event of another version", { ...detail, meta: { ...detail.meta, schemaVersion: "2" } }],
    ["an event without its id", { ...detail, meta: { ...detail.meta, eventId: undefined } }],
    ["a response id as text", { ...detail, data: { ...detail.data, responseId: "2" } }],
    ["answers that are no list", { ...detail, data: { ...detail.data, answers: {} } }],
  ])("refuses %s", (_name, wrong) => {
    expect(responseCompleted.safeParse(wrong).success).toBe(false);
  });
});

describe("its JSON Schema", () => {
  const schema = responseCompletedJsonSchema();

  it("is draft 4, as the schema registry takes it", () => {
    expect(schema.$schema).toBe("http://json-schema.org/draft-04/schema#");
    for (const [path, part] of subschemas(schema)) {
      for (const keyword of ["const", "$defs", "if", "prefixItems", "unevaluatedProperties", "$id"]) {
        expect(`${path}: ${Object.keys(part).includes(keyword) ? keyword : ""}`).toBe(`${path}: `);
      }
      // A number from draft 6 on.
      if ("exclusiveMinimum" in part) expect([path, typeof part.exclusiveMinimum]).toEqual([path, "boolean"]);
    }
  });

  it("forbids additional fields nowhere, and has the required ones where consumers look", () => {
    const objects = [...subschemas(schema)].filter(([, part]) => part.type === "object");
    expect(objects.length).toBeGreaterThanOrEqual(12);
    expect(objects.filter(([, part]) => part.additionalProperties === false)).toEqual([]);
    expect(schema.required).toEqual(["meta", "data"]);
  });

  it("is the same each time, so that a deployment changes it only on purpose", () => {
    expect(JSON.stringify(responseCompletedJsonSchema())).toBe(JSON.stringify(schema));
  });
});
