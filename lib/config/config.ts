import type * as z from "zod";
import type { EventType } from "../events/contract.ts";
import type { EventSwitches } from "./events.ts";
import type { MonitoringConfig } from "./monitoring.ts";
import type { configSchema } from "./schema.ts";
import type { WebhookAuth } from "./webhooks.ts";

/** The configuration as a user may write it: every field but `baseUrl` optional, durations and sizes as strings. */
export type ConfigInput = z.input<ReturnType<typeof configSchema>>;
/** One source as a user may write it. */
export type SourceInput = ConfigInput["sources"][number];

/** One account of the survey service. Durations are milliseconds, sizes bytes. */
export interface SourceConfig {
  /** Identity of the source: it is in every key and every event id. Default "main". */
  name: string;
  /** Normalised: lower-case host, no trailing slash. */
  baseUrl: string;
  /** Default true. */
  enabled: boolean;
  /** Default "all". */
  surveys: "all" | { include: number[] } | { exclude: number[] };
  /** Between ticks. Default one minute; deployed whole minutes; locally also 0, the next when the one before is done. */
  interval: number;
  /** "now" (default), "beginning" or a date `YYYY-MM-DD`. */
  startFrom: string;
  /** IANA zone of the service's dates. Without it no instants are invented. */
  timeZone?: string | undefined;
  /** Both true by default. */
  enrich: { metrics: boolean; metadata: boolean };
  /** The words of their questions in answers: text and labels of the chosen answers, these labels alone, or nothing. Default "full". */
  questions: "full" | "labels" | "none";
  /** All "keep" by default. */
  privacy: { ip: "keep" | "truncate" | "drop"; referrer: "keep" | "drop"; comments: "keep" | "drop" };
  /** Bytes of an event above which its answers go to S3. Default 204,800 ("200KB"). */
  inlineLimit: number;
  /** Default 15 minutes. */
  enrichmentPatience: number;
  /** Default one minute. */
  absentAfter: number;
  /** Requests a tick, for everything slow. Default 1. */
  backgroundRequests: number;
  /** Requests in flight. Default 16. */
  concurrency: number;
  /** No limit by default. */
  maxRequestsPerSecond?: number | undefined;
  /** Default 5 s and 30 s. */
  timeouts: { connect: number; response: number };
  /** Default 20. */
  headPages: number;
  /** Default 15 minutes. */
  fullPoll: { every: number };
  /** Default one hour, 7 days. */
  patrol: { every: number; full: number };
  /** Whole days. Default 30, 30, 60 and 30 days. */
  retention: { quarantine: number; archive: number; claimCheck: number; logs: number };
  /** `Source` of the events. Default "survey-poller". */
  eventSource: string;
  /** Default "info". */
  logLevel: "debug" | "info" | "warn" | "error";
  /** Name of an existing secret with the credentials, for the deployment. Without it one is made. */
  credentialsSecret?: string | undefined;
}

/** The bus and what stands beside it. */
export interface BusConfig {
  /** "survey-poller" by default: one for each account and region. */
  name: string;
  /** Name of the SSM parameter with the bus's ARN. Default `/survey-poller/<bus>/bus-arn`. */
  arnParameter?: string | undefined;
  /** All true by default: the archive, the registry with the event's schema, the log of what could not be delivered. */
  archive: boolean;
  schemaRegistry: boolean;
  logging: boolean;
}

/** Other accounts that may make rules on the bus; by default none. */
export interface SubscribersConfig {
  accounts: string[];
  organizationId?: string | undefined;
}

/** A plain HTTPS endpoint that gets the events matching `where`. */
export interface WebhookConfig {
  name: string;
  url: string;
  /** Types of events; default `response.completed` alone. */
  types: EventType[];
  /** An EventBridge pattern on the event's detail. */
  where?: Record<string, unknown> | undefined;
  auth?: WebhookAuth | undefined;
  /** Name of the secret with which each delivery is signed by Standard Webhooks. */
  signing?: { secret: string } | undefined;
  /** Default 10. */
  ratePerSecond: number;
  /** Default one day, which is the longest, and 185 attempts. */
  retry: { maxAge: number; attempts: number };
}

/** The whole configuration, checked and with its defaults. */
export interface Config {
  sources: SourceConfig[];
  bus: BusConfig;
  events: EventSwitches;
  subscribers: SubscribersConfig;
  monitoring: MonitoringConfig;
  webhooks: WebhookConfig[];
  /** Paths of the fields that were set on purpose, such as `sources[0].patrol.every`. */
  stated: readonly string[];
}
