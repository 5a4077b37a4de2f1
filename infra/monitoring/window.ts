import { Duration } from "aws-cdk-lib";
import { DAY, MINUTE } from "../../lib/config/units.ts";

/** The window of an alarm: so many periods of this length. */
export interface Window {
  period: Duration;
  periods: number;
}

const HOUR_MINUTES = 60;
const DAY_MINUTES = DAY / MINUTE;
/** CloudWatch looks back for a day with periods below an hour, else for a week. */
const MOST_MINUTES = { short: DAY_MINUTES, long: 7 * DAY_MINUTES };

/**
 * Periods of at least `minutes`, and of at least one tick each; no more of them than CloudWatch looks back.
 *
 * @param interval milliseconds between ticks, whole minutes
 */
export function windowOf(interval: number, minutes: number, periods: number): Window {
  const length = Math.min(Math.max(minutes, interval / MINUTE), DAY_MINUTES);
  const most = length < HOUR_MINUTES ? MOST_MINUTES.short : MOST_MINUTES.long;
  return { period: Duration.minutes(length), periods: Math.min(periods, Math.floor(most / length)) };
}

/** The window in which a tick is sure to fall; undefined where CloudWatch does not look back so far. */
export function tickWindow(interval: number): Window | undefined {
  const days = Math.ceil(interval / DAY);
  if (days <= 1) return windowOf(interval, 5, 3);
  const most = MOST_MINUTES.long / DAY_MINUTES;
  return days + 1 > most ? undefined : { period: Duration.days(1), periods: days + 1 };
}
