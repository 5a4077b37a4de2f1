/** An event as EventBridge delivers it to targets. */
export interface EventEnvelope {
  version: "0";
  id: string;
  "detail-type": string;
  source: string;
  account: string;
  /** To the second, e.g. `2026-11-21T10:00:00Z`. */
  time: string;
  region: string;
  resources: string[];
  detail: Record<string, unknown>;
}
