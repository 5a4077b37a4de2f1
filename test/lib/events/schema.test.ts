import ajvDraft4 from "ajv-draft-04";
import { describe, expect, it } from "vitest";
import { goldenEvents } from "../../../lib/events/generate/golden.ts";
import { mapSchemas } from "../../../lib/events/generate/schemas.ts";
import { DETAIL_TYPE, detailSchemas, EVENT_TYPES, eventJsonSchema } from "../../../lib/events/index.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Event = Record<string, unknown> & { detail: { meta: Record<string, unknown>; data: Record<string, unknown> } };

const golden = [...(await goldenEvents())];
/** An event as a subscriber gets it. */
const event = (name: string): Event => structuredClone(golden.find(([known]) => known === name)?.[1]) as never;

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

const wrongs: [string, (event: Event) => void][] = [
  ["of another version", ({ detail }) => Object.assign(detail.meta, { schemaVersion: "2" })],
  ["without its id", ({ detail }) => Object.assign(detail.meta, { eventId: undefined })],
  ["with revision 0", ({ detail }) => Object.assign(detail.meta, { revision: 0 })],
  ["with a response id as text", ({ detail }) => Object.assign(detail.data, { responseId: "2" })],
  ["with answers that are no list", ({ detail }) => Object.assign(detail.data, { answers: {} })],
];

// In strict mode it would refuse the two keywords of EventBridge, and "format" needs another package.
const draft4 = new ajvDraft4.default({ strict: false, formats: { "date-time": true } });

describe("the contract", () => {
  it.each(golden)(
    "takes the event %s, and a field that is added later in every object of it, and keeps it",
    (_, one) => {
      const schema = detailSchemas[one["detail-type"]];
      const detail = JSON.parse(JSON.stringify(one.detail));
      expect(schema.parse(detail)).toEqual(detail);
      for (const addition of withOneMore(detail)) expect(schema.parse(addition)).toEqual(addition);
    },
  );

  it("takes a word that is added later to a list of words", () => {
    const { detail } = event("ordinary");
    Object.assign(detail.meta, { origin: "elsewhere" });
    expect(detailSchemas[DETAIL_TYPE].parse(detail)).toEqual(detail);
  });

  it.each(wrongs)("refuses an event %s", (_name, spoil) => {
    const spoilt = event("ordinary");
    spoil(spoilt);
    expect(detailSchemas[DETAIL_TYPE].safeParse(spoilt.detail).success).toBe(false);
    const validate = draft4.compile(eventJsonSchema(DETAIL_TYPE, "draft-4", "survey-poller"));
    expect(validate(JSON.parse(JSON.stringify(spoilt)))).toBe(false);
  });
});

describe.each(EVENT_TYPES)("the schema of %s for the registry", (type) => {
  const schema = eventJsonSchema(type, "draft-4", "survey-poller");
  const validate = draft4.compile(schema);
  const own = golden.find(([, one]) => one["detail-type"] === type)?.[1];

  it("is draft 4 by the draft's own schema, and fits into the registry", () => {
    expect(draft4.validateSchema(schema)).toBe(true);
    expect(schema.$schema).toBe("http://json-schema.org/draft-04/schema#");
    // The registry takes 100,000 characters.
    expect(JSON.stringify(schema).length).toBeLessThan(50_000);
    mapSchemas(schema, (part) => {
      for (const keyword of ["const", "$defs", "if", "prefixItems", "unevaluatedProperties", "$id"])
        expect(part).not.toHaveProperty([keyword]);
      // A number from draft 6 on.
      if ("exclusiveMinimum" in part) expect(part.exclusiveMinimum).toBeTypeOf("boolean");
      return part;
    });
  });

  it("names the event where EventBridge's tools look for it, and is the same each time", () => {
    expect(schema).toMatchObject({ "x-amazon-events-source": "survey-poller", "x-amazon-events-detail-type": type });
    expect(JSON.stringify(eventJsonSchema(type, "draft-4", "survey-poller"))).toBe(JSON.stringify(schema));
  });

  it("forbids additional fields nowhere: it takes an event, a replayed one, and one with a field more", () => {
    mapSchemas(schema, (part) => {
      expect(part.additionalProperties).not.toBe(false);
      return part;
    });
    for (const more of [{}, { "replay-name": "again" }, { detail: { ...own?.detail, addedLater: [1] } }])
      expect(validate(JSON.parse(JSON.stringify({ ...own, ...more })))).toBe(true);
  });

  it.each(["source", "detail-type", "detail"])("refuses an event of another %s", (field) => {
    expect(validate({ ...own, [field]: "somebody.else" })).toBe(false);
  });
});
