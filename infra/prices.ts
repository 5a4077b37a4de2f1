// us-east-1, without the free tier, dollars. From the public price lists of the services.

export const PRICES = {
  /** A million write or read request units. */
  writeUnits: 0.625,
  readUnits: 0.125,
  /** A million custom events of up to 64 KB. */
  events: 1,
  /** A million invocations, and a GB-second on arm64. */
  invocations: 0.2,
  gbSeconds: 0.0000133334,
  /** A million of either. */
  schedules: 1,
  secretCalls: 5,
  /** A million. */
  queueRequests: 0.4,
  /** A secret a month. */
  secret: 0.4,
  /** A GB of logs taken in. */
  logs: 0.5,
  /** A GB of table a month. */
  storage: 0.25,
  /** A month of one combination of dimensions of a metric, of an alarm on one metric, of a dashboard, of a key. */
  series: 0.3,
  alarm: 0.1,
  dashboard: 3,
  key: 1,
} as const;

/** MB that the function has unless told otherwise. */
export const DEFAULT_MEMORY = 512;
