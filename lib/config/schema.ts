import * as z from "zod";
import { busSchema, subscribersSchema } from "./bus.ts";
import { eventsSchema } from "./events.ts";
import { madeOnce, section } from "./fields.ts";
import { monitoringSchema } from "./monitoring.ts";
import { sourceSchema } from "./source.ts";
import { webhooksSchema } from "./webhooks.ts";

/** The schema of a whole configuration in its long form, `{ "sources": […], … }`. */
export const configSchema = madeOnce((options) =>
  section({
    sources: z
      .array(sourceSchema(options), { error: 'must be a list of sources, each at least { "baseUrl": "https://…" }' })
      .nonempty({ error: "must hold at least one source" }),
    bus: busSchema.prefault({}),
    events: eventsSchema.prefault({}),
    subscribers: subscribersSchema.prefault({}),
    monitoring: monitoringSchema().prefault({}),
    webhooks: webhooksSchema.prefault([]),
  }),
);
