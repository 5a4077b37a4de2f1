/** One line of the bench's table. */
export interface Row {
  what: string;
  /** With its unit. */
  measured: string;
  /** What it is to be; absent where it is only told. */
  wanted?: string;
  met?: boolean;
}

/** A ratio or a count that must be at least so much. */
export function atLeast(what: string, value: number, least: number, digits = 2): Row {
  return { what, measured: value.toFixed(digits), wanted: `≥ ${least}`, met: value >= least };
}

/** A ratio or a count that may be at most so much. */
export function atMost(what: string, value: number, most: number, digits = 2): Row {
  return { what, measured: value.toFixed(digits), wanted: `≤ ${most}`, met: value <= most };
}

/** What is told and judged by nobody. */
export function told(what: string, measured: string): Row {
  return { what, measured };
}
