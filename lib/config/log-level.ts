import type { SourceConfig } from "./config.ts";

const levels = ["debug", "info", "warn", "error"] as const;

/** The most detailed log level among sources, in the logger's spelling. */
export function mostDetailed(sources: readonly SourceConfig[]): "DEBUG" | "INFO" | "WARN" | "ERROR" {
  const level = levels.find((one) => sources.some((source) => source.logLevel === one)) ?? "info";
  return level.toUpperCase() as "DEBUG" | "INFO" | "WARN" | "ERROR";
}
