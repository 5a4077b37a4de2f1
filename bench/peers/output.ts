import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One record that a peer has written. */
export interface Output {
  /** As the peer wrote it. */
  responseId: unknown;
  record: Record<string, unknown>;
}

/** How many responses have both metrics and metadata, by their contents: the name of a stream proves nothing. */
export function countDrained(output: Iterable<Output>): number {
  const withMetrics = new Set<number>();
  const withMetadata = new Set<number>();
  for (const { responseId, record } of output) {
    if (typeof responseId !== "number") continue;
    if (Object.values(record).some(isMetric)) withMetrics.add(responseId);
    if (typeof record.ip === "string") withMetadata.add(responseId);
  }
  return [...withMetrics].filter((id) => withMetadata.has(id)).length;
}

const isMetric = (value: unknown): boolean => typeof value === "object" && value !== null && "metricId" in value;

/** The lines of all JSON Lines files below a folder whose names end so. */
export function linesOf(directory: string, ending = ".jsonl"): Record<string, unknown>[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
