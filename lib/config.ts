import type * as z from "zod";
import { crossChecks, type FoundProblem } from "./config/cross-checks.ts";
import { ConfigError } from "./config/error.ts";
import { configSchema } from "./config/schema.ts";
import { isBareSource, misplaced, pathText } from "./config/shape.ts";
import { statedFields } from "./config/stated.ts";

export { ConfigError, type ConfigProblem } from "./config/error.ts";
export { notYetActing } from "./config/not-yet-acting.ts";
export { readConfigFile } from "./config/read-file.ts";

/** What a user may write: every field but `baseUrl` optional, durations and sizes as strings. */
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
  /** Default false. */
  questions: boolean;
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
  lookBack: { every: number; window: number };
  /** Default 7 days. */
  scrub: { every: number };
  /** Whole days. Default 30, 30, 60 and 30 days. */
  retention: { quarantine: number; archive: number; claimCheck: number; logs: number };
  /** `Source` of the events. Default "survey-poller". */
  eventSource: string;
  /** Default "info". */
  logLevel: "debug" | "info" | "warn" | "error";
}

/** A plain HTTPS endpoint that gets the events matching `where`. */
interface WebhookConfig {
  name: string;
  url: string;
  /** An EventBridge pattern on the event's detail. */
  where?: Record<string, unknown> | undefined;
}

/** The whole configuration, checked and with its defaults. */
export interface Config {
  sources: SourceConfig[];
  /** `name` is "survey-poller" by default: one for each account and region. */
  bus: { name: string };
  monitoring: { email?: string | undefined; alarms: boolean; dashboard: boolean };
  webhooks: WebhookConfig[];
  /** Paths of the fields that were set on purpose, such as `sources[0].scrub.every`. */
  stated: readonly string[];
}

/**
 * Checks a raw configuration, in its long form or as one bare source object, and fills in the defaults. The input is left as
 * it is, so it can be stored as JSON and parsed again.
 *
 * @param options.deployed whether it is for AWS, where an interval is whole minutes
 * @throws ConfigError that names every bad field, never a value
 * @example parseConfig({ baseUrl: "https://surveys.example.com", interval: "5m" }, { deployed: true })
 */
export function parseConfig(input: unknown, options: { deployed: boolean }): Config {
  const bare = isBareSource(input);
  const long = bare ? { sources: [input] } : input;
  const parsed = configSchema(options).safeParse(long);
  const found: FoundProblem[] = parsed.error?.issues.map(({ path, message }) => ({ path, message })) ?? [];
  if (typeof long === "object" && long !== null && "sources" in long) found.push(...crossChecks(long.sources));

  if (parsed.success && found.length === 0) return { ...parsed.data, stated: statedFields(long) };
  throw new ConfigError(
    found.map(({ path, message }) => {
      const shown = bare && path[0] === "sources" ? path.slice(2) : path;
      return { path: pathText(shown), message: misplaced(shown, bare) ?? message };
    }),
  );
}

const levels = ["debug", "info", "warn", "error"] as const;

/** The most detailed log level among sources, in the logger's spelling. */
export function mostDetailed(sources: readonly SourceConfig[]): "DEBUG" | "INFO" | "WARN" | "ERROR" {
  const level = levels.find((one) => sources.some((source) => source.logLevel === one)) ?? "info";
  return level.toUpperCase() as "DEBUG" | "INFO" | "WARN" | "ERROR";
}
