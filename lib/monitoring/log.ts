import { channel } from "node:diagnostics_channel";
import { errorCode, framesOf, PollerError, type ToldFailure } from "../errors.ts";

/**
 * Every line of the log as an object, from the level of its source on. It is for a process that keeps the log elsewhere than on standard
 * output. It costs nothing while nobody listens. Lines have the fields that they have in CloudWatch Logs.
 */
export const logChannel = channel("survey-poller:log");

/**
 * The name of this deployment, in each line of the log and as a dimension of its metrics. Two deployments of one account may have sources
 * of the same name.
 */
export function serviceName(): string {
  return process.env.POWERTOOLS_SERVICE_NAME?.trim() || "survey-poller";
}

/** How much is told, the most first. */
export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

/** The part of a logger that is used here. */
export type Log = Record<LogLevel, (message: string, details: Record<string, unknown>) => void>;

/** A log of this level and above: sources that share a function each have a level of their own. */
export function fromLevel(least: LogLevel, logger: Log): Log {
  const tell = (level: LogLevel): Log[LogLevel] => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return () => {};
    return (message, details) => {
      logger[level](message, details);
      if (!logChannel.hasSubscribers) return;
      const timestamp = new Date().toISOString();
      logChannel.publish({ level: level.toUpperCase(), message, timestamp, service: serviceName(), ...details });
    };
  };
  return { debug: tell("debug"), info: tell("info"), warn: tell("warn"), error: tell("error") };
}

/** A failure with what to do about it. */
export interface DescribedFailure extends ToldFailure {
  hint: string;
}

/** Only our own messages are fit for a log: others may quote what they were working on. */
export function describeFailure(error: unknown): DescribedFailure {
  const code = errorCode(error);
  if (error instanceof PollerError) return { code, message: error.message, hint: error.hint };
  const hint = "See the function's log and its permissions.";
  return { code, message: `unexpected ${code}`, hint, ...framesOf(error) };
}
