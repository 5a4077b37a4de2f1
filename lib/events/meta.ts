import * as z from "zod";
import { SCHEMA_VERSION } from "./contract.ts";
import { named } from "./named.ts";

/** The `meta` of every event. Each schema of an event adds fields of its own. */
export const meta = z
  .looseObject({
    eventId: z.string().describe("The same for every delivery of the same event: the idempotency key"),
    schemaVersion: z.literal(SCHEMA_VERSION),
    sourceName: z.string().describe("Name of the source in the poller's configuration"),
    detectedAt: z.string().describe("When the event was made (UTC, ISO 8601)"),
    test: z.boolean().optional().describe("True in test events, which tell of nothing real; absent in all others"),
  })
  .meta(named("EventMeta", "How the event was made"));

/** An instant that the poller's own clock has shown. */
export const instant = (description: string) => z.string().describe(`${description} (UTC, ISO 8601)`);
