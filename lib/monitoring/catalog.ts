/**
 * One name for all metrics of the poller. Dimensions are `service` (the deployment) and `source`. A survey never is one: each would cost as
 * a series of its own.
 */
export const NAMESPACE = "SurveyPoller";

/** How much is written as metrics. What a level leaves out is in the log all the same. */
export type MonitoringLevel = "minimal" | "full";

export interface MetricDefinition {
  name: string;
  unit: "Count" | "Milliseconds";
  /** The least level that writes it. */
  level: MonitoringLevel;
}

type Unit = MetricDefinition["unit"];
const minimal = (name: string, unit: Unit = "Count"): MetricDefinition => ({ name, unit, level: "minimal" });
const full = (name: string, unit: Unit = "Count"): MetricDefinition => ({ name, unit, level: "full" });

/**
 * Every metric of a source. Each is a series that costs $0.30 in a month in which it is written. So there are six minimal ones: those that
 * an alarm needs, and the events.
 */
export const metrics = {
  /**
   * Whether the source has no credentials that work: 0 or 1, written by each tick that came to its end. So its sample count is the
   * number of those ticks: one series tells both.
   */
  credentialsProblem: minimal("CredentialsProblem"),
  /** From the completion of a response to its event; see detection-lag.ts for what is measured where. One value an event. */
  detectionLag: minimal("DetectionLag", "Milliseconds"),
  /** Events that the bus has taken, repeats and repairs included. */
  emitted: minimal("Emitted"),
  /** 1 for a tick that the service's rate limit has ended. */
  throttled: minimal("Throttled"),
  /** Responses and records that do not go out: quarantined, refused by the bus, or held as nothing proves their contents. */
  withheld: minimal("Withheld"),
  /** For how long the longest-standing trouble keeps responses from going out or from being accounted for; see stalled.ts. */
  stalled: minimal("Stalled", "Milliseconds"),

  requests: full("Requests"),
  requestsThrottled: full("RequestsThrottled"),
  requestsFailed: full("RequestsFailed"),
  waiting: full("Waiting"),
  behind: full("Behind"),
  surveysFailed: full("SurveysFailed"),
  unaccounted: full("Unaccounted"),
  rangeUnreachable: full("RangeUnreachable"),
  repaired: full("Repaired"),
  repairedAgain: full("RepairedAgain"),
  changed: full("Changed"),
  booksClosed: full("BooksClosed"),
  booksNeverClosed: full("BooksNeverClosed"),
  oldestBooks: full("OldestBooks", "Milliseconds"),
  fullPollLate: full("FullPollLate", "Milliseconds"),
  backgroundOverdrawn: full("BackgroundOverdrawn"),
} as const satisfies Record<string, MetricDefinition>;

export type MetricKey = keyof typeof metrics;

/** Every metric of a webhook, by the dimensions `service` and `webhook`. */
export const webhookMetrics = {
  /** Events that the endpoint has taken. */
  delivered: minimal("Delivered"),
  /** For how long the longest-tried event has been tried in vain: from its first attempt to its last. */
  deliveryStalled: minimal("DeliveryStalled", "Milliseconds"),
  /** Attempts that failed. */
  deliveriesFailed: full("DeliveriesFailed"),
  /** From an event's coming into the queue to its being taken. One value an event. */
  deliveryAge: full("DeliveryAge", "Milliseconds"),
} as const satisfies Record<string, MetricDefinition>;

export function isWritten(metric: MetricDefinition, level: MonitoringLevel): boolean {
  return level === "full" || metric.level === "minimal";
}

/** The metrics that a level writes for a source: so many series it costs. */
export function writtenBy(level: MonitoringLevel): MetricDefinition[] {
  return Object.values(metrics).filter((metric) => isWritten(metric, level));
}
