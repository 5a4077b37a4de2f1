/** The end of an attempt: the event is delivered, is tried again, or goes to the dead-letter queue at once. */
export type Outcome = "taken" | "retried" | "given-up";

/**
 * Answers below 500 that may be others the next time. Endpoints answer 401 and 403 to a secret that they do not know yet; 408 and 425 ask for another attempt by their meaning. All others below 500 say that the address or the event is wrong.
 */
const PASSING = new Set([401, 403, 407, 408, 409, 425, 429]);

/** @param status null where no answer came */
export function outcomeOf(status: number | null): Outcome {
  if (status === null) return "retried";
  if (status >= 200 && status < 300) return "taken";
  return PASSING.has(status) || status >= 500 ? "retried" : "given-up";
}

/** Milliseconds. The longest wait is shorter than the period of the alarm that sees a failing webhook. */
const WAITS = { first: 5_000, longest: 600_000, longestAsked: 3_600_000 };
/** Waits differ by so much, so that what failed together does not come together again. */
const SPREAD = 0.2;

/**
 * Milliseconds until the next attempt: twice as long after each failure.
 *
 * @param attempt the one that failed, from 1
 * @param asked what the endpoint itself asks for
 * @param random from 0 to 1
 */
export function waitAfter(attempt: number, asked: number | undefined, random: number): number {
  const usual = Math.min(WAITS.longest, WAITS.first * 2 ** (attempt - 1));
  const spread = usual * (1 - SPREAD + 2 * SPREAD * random);
  return Math.round(Math.max(spread, Math.min(asked ?? 0, WAITS.longestAsked)));
}
