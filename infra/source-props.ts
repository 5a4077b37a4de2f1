/** A number and its unit, `ms`, `s`, `m`, `h` or `d`: `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`. */
type Duration = string;

/**
 * One account of the survey service, as the configuration states it. Only `baseUrl` has no default.
 *
 * @example { name: "eu", baseUrl: "https://surveys.example.com", interval: "5m", timeZone: "Europe/Warsaw" }
 */
export interface SourceProps {
  /** Scheme and host of the service, and a path before `/api` if it has one. https. */
  baseUrl: string;
  /** Identity of the source: it is in every key and in every event id, so that another name begins anew. Default "main". */
  name?: string | undefined;
  /** Whether its schedule runs. Default true. */
  enabled?: boolean | undefined;
  /** Which surveys are polled. Default "all". */
  surveys?: "all" | { include: number[] } | { exclude: number[] } | undefined;
  /** Between ticks, in whole minutes. Default "1m". */
  interval?: Duration | undefined;
  /**
   * Beginning of history: a response completed before it is never emitted. "now", "beginning" or a date `YYYY-MM-DD`. Acts at the first
   * tick. Default "now".
   */
  startFrom?: string | undefined;
  /** IANA zone of the service's dates, such as "Europe/Warsaw". Without it events have local times alone. */
  timeZone?: string | undefined;
  /** Parts of an event beside the answers. Both true by default; each costs one request a response. */
  enrich?: { metrics?: boolean | undefined; metadata?: boolean | undefined } | undefined;
  /**
   * Words of their questions in answers: text and labels of the chosen answers, these labels alone, or nothing. Default "full", which costs
   * a request for each edit of a survey.
   */
  questions?: "full" | "labels" | "none" | undefined;
  /** Parts of a response that leave the function. All "keep" by default. */
  privacy?:
    | {
        ip?: "keep" | "truncate" | "drop" | undefined;
        referrer?: "keep" | "drop" | undefined;
        comments?: "keep" | "drop" | undefined;
      }
    | undefined;
  /** Most requests a second, above 0. Default: what the service allows, as it is learned from its answers. */
  maxRequestsPerSecond?: number | undefined;
  /**
   * Whole days that things are kept. Default `{ quarantine: "30d", archive: "30d", claimCheck: "60d", logs: "30d" }`; `claimCheck` at least
   * `archive` + 14d. Of several sources in one deployment the longest holds.
   */
  retention?:
    | {
        quarantine?: Duration | undefined;
        archive?: Duration | undefined;
        claimCheck?: Duration | undefined;
        logs?: Duration | undefined;
      }
    | undefined;
  /** `Source` of the events. Default "survey-poller". */
  eventSource?: string | undefined;
  /** Default "info". */
  logLevel?: "debug" | "info" | "warn" | "error" | undefined;
  /** Name of a secret that is there already and holds the credentials. Default: an empty one is made for them. */
  credentialsSecret?: string | undefined;
  /** Seldom right to touch, and promised to nobody: a new version may change them. */
  advanced?: AdvancedProps | undefined;
}

export interface AdvancedProps {
  /**
   * How often pages are read whatever the counts say. `every`: the first one, and twice as many half as often, and so on. `full`: all pages,
   * which closes the books. Default `{ every: "15m", full: "7d" }`.
   */
  rescan?: { every?: Duration | undefined; full?: Duration | undefined } | undefined;
  /** Requests a tick may spend on everything slow, 1 to 1000. Default 30. */
  backgroundRequests?: number | undefined;
  /** Pages of news above which a poll becomes a catch-up. Default 20. */
  headPages?: number | undefined;
  /** Most requests in flight, 1 to 256. Default 16. */
  concurrency?: number | undefined;
  /** Default `{ connect: "5s", response: "30s" }`. */
  timeouts?: { connect?: Duration | undefined; response?: Duration | undefined } | undefined;
  /** How long a response waits for metrics and metadata that cannot be had, before it goes out without. Default "15m". */
  enrichmentPatience?: Duration | undefined;
  /** How long metrics or metadata must have been absent to count as absent. Default "1m". */
  absentAfter?: Duration | undefined;
  /** Size of an event above which its answers go to the claim-check bucket. Default "200KB", at most "900KB". */
  inlineLimit?: string | undefined;
}
