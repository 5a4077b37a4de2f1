import type * as z from "zod";
import type { configSchema } from "./schema.ts";

/** The configuration as a user may write it: every field but `baseUrl` optional, durations and sizes as strings. */
export type ConfigInput = z.input<typeof configSchema>;
/** One source as a user may write it. */
export type SourceInput = ConfigInput["sources"][number];

/** The whole configuration, checked and with its defaults: durations in milliseconds, sizes in bytes. docs/configuration.md tells the fields. */
export type Config = z.output<typeof configSchema>;
export type SourceConfig = Config["sources"][number];
/** Other accounts that may make rules on the bus; by default none. */
export type SubscribersConfig = Config["subscribers"];
/** A plain HTTPS endpoint that gets the events matching `where`. */
export type WebhookConfig = Config["webhooks"][number];
