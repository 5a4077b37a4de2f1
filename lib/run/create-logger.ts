import { Logger } from "@aws-lambda-powertools/logger";
import { LEVELS, type LogLevel, serviceName } from "../monitoring/log.ts";

/** The logger of a function. Its sources have levels of their own: none asks for more than this. */
export function createLogger(sources: readonly { logLevel: LogLevel }[]): Logger {
  const level = LEVELS.find((one) => sources.some(({ logLevel }) => logLevel === one)) ?? "info";
  const logLevel = level.toUpperCase() as Uppercase<LogLevel>;
  return new Logger({
    serviceName: serviceName(),
    ...(process.env.POWERTOOLS_LOG_LEVEL === undefined ? { logLevel } : {}),
  });
}
