import ajvDraft4 from "ajv-draft-04";
import { describe, expect, it } from "vitest";
import { responseCompletedEnvelopeSchema } from "../../../lib/events/index.ts";
import { goldenCases } from "../../event-rules/golden.ts";

type Event = Record<string, unknown> & { detail: { meta: Record<string, unknown>; data: Record<string, unknown> } };

const schema = responseCompletedEnvelopeSchema("survey-poller");
// In strict mode it would refuse the two keywords of EventBridge, and "format" needs another package.
const ajv = new ajvDraft4.default({ strict: false, formats: { "date-time": true } });
const validate = ajv.compile(schema);

/** What a subscriber gets; its answers as the contract has them. */
function delivered(): Event {
  const event = structuredClone(goldenCases[0]?.event) as Event;
  event.detail.data.answers = [
    { questionId: 7, answer: [3], comment: "", score: null, matrixScore: null, question: null, labels: ["red"] },
  ];
  return event;
}

describe("the schema of the whole event", () => {
  it("is draft 4 by the draft's own schema, and fits into the registry", () => {
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(schema.$schema).toBe("http://json-schema.org/draft-04/schema#");
    // The registry takes 100,000 characters.
    expect(JSON.stringify(schema).length).toBeLessThan(50_000);
  });

  it("names the event where EventBridge's tools look for it", () => {
    expect(schema).toMatchObject({
      "x-amazon-events-source": "survey-poller",
      "x-amazon-events-detail-type": "response.completed",
    });
  });

  it("takes an event as EventBridge delivers it, also a replayed one and one with a field more", () => {
    expect(validate(delivered())).toBe(true);
    expect(validate({ ...delivered(), "replay-name": "again" })).toBe(true);
    const event = delivered();
    event.detail.data.addedLater = { anything: [1] };
    expect(validate(event)).toBe(true);
  });

  it.each<[string, (event: Event) => void]>([
    ["of another source", (event) => Object.assign(event, { source: "somebody.else" })],
    ["of another type", (event) => Object.assign(event, { "detail-type": "order.paid" })],
    ["without a detail", (event) => Object.assign(event, { detail: undefined })],
    ["with revision 0", (event) => Object.assign(event.detail.meta, { revision: 0 })],
    ["of another version", (event) => Object.assign(event.detail.meta, { schemaVersion: "2" })],
    ["with an id as text", (event) => Object.assign(event.detail.data, { responseId: "1" })],
  ])("refuses an event %s", (_name, spoil) => {
    const event = delivered();
    spoil(event);
    expect(validate(JSON.parse(JSON.stringify(event)))).toBe(false);
  });
});
