import { describe, expectTypeOf, it } from "vitest";
import type { Where } from "../../../infra/index.ts";

// Held by the compiler: `tsc --noEmit` fails where one of these does not hold.
type Data = NonNullable<Where["data"]>;
type Meta = NonNullable<Where["meta"]>;
type Metrics = NonNullable<Data["metrics"]>;

describe("where", () => {
  it("has the fields of the contract, and arrays looked through", () => {
    expectTypeOf<{ data: { surveyId: [1]; metrics: { score: { nps: [true] } } } }>().toExtend<Where>();
    expectTypeOf<{ meta: { missing: [{ prefix: "metrics:" }] } }>().toExtend<Where>();
    expectTypeOf<{ data: { answers: { questionId: [7]; answer: [3] } } }>().toExtend<Where>();
    expectTypeOf<keyof Where>().toEqualTypeOf<"meta" | "data" | "$or">();
    expectTypeOf<keyof NonNullable<Metrics["score"] & object>>().not.toEqualTypeOf<string>();
  });

  it("refuses fields that no event has", () => {
    // @ts-expect-error surveyId
    const misspelt: Where = { data: { surveyID: [1] } };
    // @ts-expect-error the fields stand below metrics, not in a list of it
    const listed: Where = { data: { metrics: [{ score: { nps: [true] } }] } };
    // @ts-expect-error a list of alternatives
    const bare: Where = { data: { surveyId: 1 } };
    expectTypeOf([misspelt, listed, bare]).toExtend<Where[]>();
  });

  it("has the operators of a value's type", () => {
    type Numbers = NonNullable<Data["surveyId"]>;
    expectTypeOf<
      [1, { numeric: ["<", 6] }, { numeric: [">", 1, "<=", 6] }, { "anything-but": [1] }]
    >().toExtend<Numbers>();
    expectTypeOf<[{ exists: true }]>().toExtend<Numbers>();
    expectTypeOf<["1"]>().not.toExtend<Numbers>();
    expectTypeOf<[{ prefix: "1" }]>().not.toExtend<Numbers>();
    expectTypeOf<[{ numeric: ["<", "6"] }]>().not.toExtend<Numbers>();
    expectTypeOf<[{ numeric: ["<", 6, ">", 1] }]>().not.toExtend<Numbers>();
    expectTypeOf<[null]>().not.toExtend<Numbers>();

    type Texts = NonNullable<NonNullable<Data["response"]>["country"]>;
    expectTypeOf<["PL", null, { prefix: "P" }, { "anything-but": { suffix: ["L"] } }]>().toExtend<Texts>();
    expectTypeOf<[{ "equals-ignore-case": "pl" }, { wildcard: "P*" }, { cidr: "10.0.0.0/8" }]>().toExtend<Texts>();
    expectTypeOf<[{ numeric: ["<", 6] }]>().not.toExtend<Texts>();
  });

  it("knows the values that some fields have", () => {
    type Origins = NonNullable<Meta["origin"]>;
    expectTypeOf<["head", { "anything-but": ["backlog"] }]>().toExtend<Origins>();
    expectTypeOf<["a later word"]>().toExtend<Origins>();
    expectTypeOf<["2"]>().not.toExtend<NonNullable<Meta["schemaVersion"]>>();
  });

  it("takes null for what may be null, and alternatives", () => {
    expectTypeOf<{ data: { metadata: [null] } }>().toExtend<Where>();
    expectTypeOf<{ data: { response: [null] } }>().not.toExtend<Where>();
    expectTypeOf<{ $or: [{ data: { surveyId: [1] } }, { meta: { complete: [false] } }] }>().toExtend<Where>();
    expectTypeOf<{ $or: [{ data: { surveyId: [1] } }] }>().not.toExtend<Where>();
  });

  it("leaves open what the contract leaves open", () => {
    type Matrix = NonNullable<NonNullable<Data["answers"]>["matrixScore"]>;
    expectTypeOf<["4", 7, null]>().toExtend<Matrix>();
    expectTypeOf<{ any: ["thing"] }>().toExtend<Matrix>();
  });
});
