import * as z from "zod";
import { busSchema, subscribersSchema } from "./bus.ts";
import { flag, section } from "./fields.ts";
import { monitoringSchema } from "./monitoring.ts";
import { flatSource, sourceSchema } from "./source.ts";
import { webhooksSchema } from "./webhooks.ts";

/** The schema of a whole configuration in its long form, `{ "sources": […], … }`. */
export const configSchema = section({
  sources: z
    .array(sourceSchema.transform(flatSource), {
      error: 'must be a list of sources, each at least { "baseUrl": "https://…" }',
    })
    .nonempty({ error: "must hold at least one source" }),
  bus: busSchema.prefault({}),
  // Types of events beside `response.completed`, which always goes out.
  events: section({
    "response.updated": flag().prefault(true),
    "response.deleted": flag().prefault(true),
    "books.closed": flag().prefault(true),
    "survey.changed": flag().prefault(false),
    "survey.counted": flag().prefault(false),
  }).prefault({}),
  subscribers: subscribersSchema.prefault({}),
  monitoring: monitoringSchema.prefault({}),
  webhooks: webhooksSchema.prefault([]),
});
