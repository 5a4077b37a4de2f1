/** The answers of operations 11 (metrics) and 13 (metadata), where a response has no override of its own. */
export interface EnrichmentSettings {
  /**
   * Operation 11: present, 404, `[]`, `[{}]`, only some surveys have metrics (404 for the others), status 200 with an
   * error in the body, or 204.
   */
  metrics: "present" | "absent" | "empty" | "emptyObject" | "perSurvey" | "errorBody" | "noContent";
  /** Operation 13: present, 404, `[]`, status 200 with an error in the body, or 204. */
  metadata: "present" | "absent" | "empty" | "errorBody" | "noContent";
  /** Whether the key of a metric in its map is its metricId or its position. */
  metricKey: "metricId" | "position";
  /** `list`: the metrics stand in an array, as PHP writes a map whose keys are 0, 1 and so on. */
  metricContainer: "map" | "list";
  /**
   * Share of the reads of operation 13 (and its v2 form) that hold the metadata of another completed response of the survey, as a cache
   * answers by mistake. It is drawn at each read. Where there is no other response, nothing is mixed up.
   */
  metadataMixups: number;
  /** `several`: the metadata of another response stands before the right one. `anonymous`: no `responseId` in it. */
  metadataList: "one" | "several" | "anonymous";
}
