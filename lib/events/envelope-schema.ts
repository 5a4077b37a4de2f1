import { DETAIL_TYPE } from "./contract.ts";
import { responseCompletedJsonSchema } from "./json-schema.ts";

/**
 * The whole event as EventBridge delivers it, as JSON Schema draft 4. The two names that begin with `x-` are where EventBridge's tools look for
 * the event that a schema describes; a validator passes over them.
 *
 * @param source `source` of the events, `eventSource` of the configuration
 */
export function responseCompletedEnvelopeSchema(source: string): Record<string, unknown> {
  const { $schema, ...detail } = responseCompletedJsonSchema();
  const text = { type: "string" };
  const properties = {
    version: text,
    id: {
      type: "string",
      description: "EventBridge's own, another one for each delivery; detail.meta.eventId is the key",
    },
    "detail-type": { type: "string", enum: [DETAIL_TYPE] },
    source: { type: "string", enum: [source] },
    account: text,
    time: { type: "string", format: "date-time" },
    region: text,
    resources: { type: "array", items: text },
    detail,
  };
  return {
    $schema,
    title: "ResponseCompleted",
    description: "A completed survey response",
    "x-amazon-events-detail-type": DETAIL_TYPE,
    "x-amazon-events-source": source,
    type: "object",
    // Open like the rest: a replay adds the archive's name, and later versions of EventBridge may add more.
    properties,
    required: Object.keys(properties),
  };
}
