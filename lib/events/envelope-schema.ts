import { DETAIL_TYPE, type EventType } from "./contract.ts";
import { type Draft, detailJsonSchema } from "./json-schema.ts";

/**
 * The whole event as EventBridge delivers it, as JSON Schema. In draft 4, for its registry, the names that begin with `x-amazon-` are where
 * EventBridge's tools look for the event that a schema describes. A strict validator refuses those, and formats that it has not been given.
 *
 * @param source `source` of the events, `eventSource` of the configuration; any where it is left out
 */
export function eventJsonSchema(
  type: EventType,
  draft: Draft,
  source?: string,
): Record<string, unknown> & { title: string } {
  const { $schema, keyword, name, definitions } = detailJsonSchema(type, draft);
  const isForRegistry = draft === "draft-4";
  const only = (text: string) => ({ type: "string", ...(isForRegistry ? { enum: [text] } : { const: text }) });
  const text = { type: "string" };
  const properties = {
    version: text,
    id: {
      type: "string",
      description: "EventBridge's own, another one for each delivery; detail.meta.eventId is the key",
    },
    "detail-type": only(type),
    source: source === undefined ? { type: "string", description: "`eventSource` of the configuration" } : only(source),
    account: text,
    time: { type: "string", ...(isForRegistry ? { format: "date-time" } : { description: "UTC, ISO 8601" }) },
    region: text,
    resources: { type: "array", items: text },
    detail: { $ref: `#/${keyword}/${name}` },
  };
  return {
    $schema,
    title: `${name}Event`,
    description: definitions[name]?.description,
    ...(isForRegistry && { "x-amazon-events-detail-type": type }),
    ...(isForRegistry && source !== undefined && { "x-amazon-events-source": source }),
    type: "object",
    // Open like the rest: a replay adds the archive's name, and later versions of EventBridge may add more.
    properties,
    required: Object.keys(properties),
    [keyword]: definitions,
  };
}

/** The event of a completed response, as the EventBridge schema registry takes it. */
export function responseCompletedEnvelopeSchema(source: string): Record<string, unknown> {
  return eventJsonSchema(DETAIL_TYPE, "draft-4", source);
}
