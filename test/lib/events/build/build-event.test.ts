import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildEvent } from "../../../../lib/events/build/build-event.ts";
import { record as golden, response } from "../../../../lib/events/generate/golden.ts";
import { responseCompleted } from "../../../../lib/events/index.ts";

// What a whole event is made of documented bodies, or without what could not be had, the golden events say.

const record = { responseId: 2, ...golden };
const facts = response(2, { records: [record] });
const metadata = facts.metadata as object;
const metric = (facts.metrics as Record<string, Record<string, unknown> & { score: object }>)["31"];
if (metric === undefined) throw new Error("the golden facts have no metric 31");

it("crk and promo code are kept, metrics in the order of their ids, and fields that nobody documented", () => {
  const event = buildEvent({
    ...facts,
    records: [{ ...record, crk: "K-1", promoCode: "SPRING" }],
    metrics: { "9": { ...metric, metricId: 200 }, "10": { ...metric, metricId: 30, colour: "red" } },
    metadata: { ...metadata, timeOnPage: 12 },
  });
  expect(event.data.response).toMatchObject({ crk: "K-1", promoCode: "SPRING" });
  expect(event.data.metrics.map(({ metricId, colour }) => [metricId, colour])).toEqual([
    [30, "red"],
    [200, undefined],
  ]);
  expect(event.data.metadata).toMatchObject({ timeOnPage: 12 });
});

// R13
describe("what is not as documented", () => {
  it("takes its empty value, is named, and stands as it was read under raw", () => {
    const event = buildEvent({
      ...facts,
      records: [
        { ...record, questionId: "421997", answer: "3", comment: null, score: "4", iso3166: 616, dateStart: 5 },
      ],
      metrics: { "31": { ...metric, metricId: "31", testMode: null, score: { ...metric.score, nps: 1 } } },
      metadata: { ...metadata, ip: 7, os: null },
    });

    expect(event.data.answers).toEqual([
      {
        questionId: 421997,
        answer: [],
        comment: "",
        score: null,
        matrixScore: null,
        question: { number: 1, type: "simple", text: "How was it?" },
        labels: null,
        raw: { questionId: "421997", answer: "3", comment: null, score: "4" },
      },
    ]);
    expect(event.data.response).toMatchObject({ country: null, raw: { iso3166: 616, dateStart: 5 } });
    expect(event.data.metrics[0]).toMatchObject({ metricId: null, raw: { metricId: "31", score: { nps: 1 } } });
    expect(event.data.metadata).toMatchObject({ ip: null, os: null, raw: { ip: 7, os: null } });
    expect(event.meta.irregular).toEqual([
      "answers.421997.answer",
      "answers.421997.comment",
      "answers.421997.questionId",
      "answers.421997.score",
      "dateStart",
      "iso3166",
      "metadata.ip",
      "metadata.os",
      "metrics.31.metricId",
      "metrics.31.score.nps",
      "metrics.31.testMode",
    ]);
    expect(event.meta.complete).toBe(true);
  });

  it("is a metric all the same where it stands in a list, and none where it has no field of a metric", () => {
    const list = buildEvent({ ...facts, metrics: [metric, { ...metric, metricId: 32 }] });
    expect(list.data.metrics).toEqual([
      { key: "0", ...metric },
      { key: "1", ...metric, metricId: 32 },
    ]);
    expect(list.meta.irregular).toEqual(["metrics"]);
    const mixed = buildEvent({ ...facts, metrics: { success: true, "31": metric, "32": null } });
    expect(mixed.data.metrics).toEqual([{ key: "31", ...metric }]);
    expect(mixed.meta.irregular).toEqual(["metrics.32", "metrics.success"]);
  });

  it("is named too where it is missing, or differs between the records of one response", () => {
    const { iso3166: _left, dateCompleted: _out, ...bare } = record;
    const event = buildEvent({ ...facts, records: [bare, { ...record, completed: 0 }] });
    expect(event.meta.irregular).toEqual(expect.arrayContaining(["dateCompleted", "completed"]));
    expect(event.data.response.completed.local).toBe(record.dateCompleted);
  });

  it("do not have a number for odd because it is too great to be exact, and was read as the text of its digits", () => {
    const great = "9007199254740993";
    const score = { ...metric.score, pointsSum: great, maxPointsSum: `-${great}` };
    const event = buildEvent({
      ...facts,
      records: [{ ...record, score: great }],
      metrics: { "31": { ...metric, metricId: great, secondLevelThreshold: great, score } },
    });
    expect(event.data.answers[0]).toMatchObject({ score: Number(great) });
    expect(event.data.metrics[0]).toMatchObject({
      metricId: null,
      secondLevelThreshold: Number(great),
      score: { pointsSum: Number(great), maxPointsSum: -Number(great) },
      raw: { metricId: great },
    });
    // An id has to be exact.
    expect(event.meta.irregular).toEqual(["metrics.31.metricId"]);
    expect(responseCompleted.safeParse(event).success).toBe(true);
  });
});

/** Values that look like the documented ones, mixed with any JSON at all. */
const names = [
  ...[record, metric, metadata].flatMap(Object.keys),
  ...["raw", "weight", "key", "__proto__", "toString"],
];
const value = fc.oneof(
  fc.constantFrom<unknown>(null, "", "7", 7, -7, 1.5, true, [3], ["3"], [1.5], {}, [], "2026-03-10 12:00:00", 1e300),
  fc.jsonValue({ maxDepth: 3 }),
);
const object = fc
  .dictionary(fc.constantFrom(...names), value)
  .map((fields) => JSON.parse(JSON.stringify(fields)) as unknown);
/** The documented body with some of its fields replaced: the others regular, so that one oddity alone is seen as well. */
const nearly = (body: object) => object.map((odd) => ({ ...body, ...(odd as object) }));
const anyRecord = fc.oneof(value, object, nearly(record));
const anyMetrics = fc.oneof(
  value,
  fc.array(object),
  fc.array(fc.dictionary(fc.string(), fc.oneof(value, object, nearly(metric)))),
);
const anyMetadata = fc.oneof(value, object, fc.array(fc.oneof(object, nearly(metadata))));

describe("any JSON", () => {
  it("never throws, and makes an event of the contract that JSON carries unchanged", () => {
    fc.assert(
      fc.property(
        fc.array(anyRecord, { minLength: 1, maxLength: 6 }),
        anyMetrics,
        anyMetadata,
        (records, metrics, meta) => {
          const event = buildEvent({ ...facts, records, metrics, metadata: meta });
          const parsed = responseCompleted.safeParse(JSON.parse(JSON.stringify(event)));
          expect(parsed.error?.issues ?? []).toEqual([]);
          expect(event.data.response.answerCount).toBe(records.length);
        },
      ),
      { seed: 20_261_121, numRuns: 800 },
    );
  });

  it("makes the same event whatever the order of the records", () => {
    const shuffled = fc
      .array(anyRecord, { minLength: 2, maxLength: 6 })
      .chain((records) => fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length })));
    fc.assert(
      fc.property(shuffled, ([records, other]) => {
        expect(JSON.stringify(buildEvent({ ...facts, records: other }))).toBe(
          JSON.stringify(buildEvent({ ...facts, records })),
        );
      }),
      { seed: 20_261_121, numRuns: 1_000 },
    );
  });
});
