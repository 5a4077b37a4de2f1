import { describe, expect, it } from "vitest";
import { buildEvent } from "../../../../lib/events/build/build-event.ts";
import { RECORD_FIELDS } from "../../../../lib/events/build/extra.ts";
import { record, response } from "../../../../lib/events/generate/golden.ts";
import { responseCompleted } from "../../../../lib/events/index.ts";
import { digestOf, readRecord } from "../../../../lib/polling/index.ts";
import { responseRecord } from "../../../../lib/survey-api/bodies/resources.ts";

const eventOf = (...fields: object[]) =>
  buildEvent(response(7, { records: fields.map((more, i) => ({ ...record, questionId: i + 1, ...more })) }));
const extrasOf = (...fields: object[]) => {
  const { data, meta } = eventOf(...fields);
  return { response: data.response.extra, answers: data.answers.map(({ extra }) => extra), irregular: meta.irregular };
};
/** An array within arrays, so many levels deep. */
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

// R13
describe("fields of a record that the document does not have", () => {
  it("belong to the response where all its records say the same, and else to their answer", () => {
    const channel = { name: "mail", ids: [1, 2] };
    const found = extrasOf({ channel, weight: 1.5, seen: true }, { weight: 2, channel, isLast: null }, { channel });
    expect(found.response).toEqual({ channel });
    expect(found.answers).toEqual([{ weight: 1.5, seen: true }, { weight: 2, isLast: null }, undefined]);
  });

  it("are all of them but those of the document", () => {
    expect(RECORD_FIELDS).toEqual(new Set(Object.keys(responseRecord.shape)));
  });

  it("cannot be taken for fields of ours", () => {
    const names = JSON.parse(
      '{ "raw": 1, "labels": ["x"], "extra": 2, "question": 3, "__proto__": { "country": "XX" } }',
    );
    const { response, answers, irregular } = extrasOf(names, { answer: "3" });
    expect(response).toBeUndefined();
    expect(Object.entries(answers[0] ?? {})).toEqual(Object.entries(names));
    expect(eventOf(names).data.answers[0]).not.toHaveProperty("raw");
    expect(irregular).toEqual(expect.arrayContaining(["answers.2.answer"]));
  });

  it("stay with the answers where they are large, as these may leave the event", () => {
    const text = "x".repeat(20_000);
    const found = extrasOf({ text }, { text });
    expect(found.response).toBeUndefined();
    expect(found.answers).toEqual([{ text }, { text }]);
  });

  it("are left out where they are nested too deep for the bus, which irregular says", () => {
    const found = extrasOf({ deep: nested(2_000), weight: 1 }, { weight: 2 });
    expect(found.answers).toEqual([{ weight: 1 }, { weight: 2 }]);
    expect(found.irregular).toContain("extra");
    expect(extrasOf({ deep: nested(20) }).response).toEqual({ deep: nested(20) });
  });

  it("do not decide the order of answers, as far as the documented fields do", () => {
    const same = { questionId: 1 };
    const scores = (...readAt: number[]) =>
      eventOf(...readAt.map((at, i) => ({ ...same, score: i, readAt: at }))).data.answers.map(({ score }) => score);
    expect(scores(9, 8, 7)).toEqual(scores(1, 2, 3));
  });

  it("make an event of the contract, and are in none of the digests that tell changes", () => {
    const event = eventOf({ weight: 1 }, { weight: 2 });
    expect(responseCompleted.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
    const digest = (readAt: number) => digestOf({ responseId: 7, records: [readRecord({ ...record, readAt })] });
    expect(digest(1)).toBe(digest(2));
  });
});
