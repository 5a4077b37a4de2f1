/** Where history begins: one date for a source, stored once (R15). What completed before it is history, and never goes out. */
export interface Start {
  /** The `startFrom` that it was made of. */
  from: string;
  /** A date string of the service; null: nothing is history. */
  at: string | null;
  /** Surveys that have answered at none of the looks for "now": they had no say in it. */
  leftOut?: number[];
}

/** A look for "now" that is to be repeated by the next tick. */
export interface StartLooks {
  ticks: number;
  /** Surveys that count responses and have shown none. */
  unanswered: number[];
}

/** Whether a date string lies before the start. At "now" itself the newest responses of the first tick have completed, which are history too. */
export function isHistory(date: string, { from, at }: Start): boolean {
  return at !== null && (from === "now" ? date <= at : date < at);
}
