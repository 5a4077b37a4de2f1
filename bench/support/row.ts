/** One line of the bench's table. */
export interface Row {
  what: string;
  /** With its unit. */
  measured: string;
  /** What it is to be; absent where it is only told. */
  wanted?: string;
  met?: boolean;
}

/** What is drawn of it (see bench/plots): one bar for each point, or one line for each series. */
export interface Plot {
  /** Its file in docs/performance. */
  name: string;
  title: string;
  kind: "bars" | "lines";
  /** What the two axes stand for, with their units. */
  x: string;
  y: string;
  points: { series: string; x: string | number; y: number }[];
}

/** What one part of the bench has found. */
export interface Findings {
  rows: Row[];
  plots?: Plot[];
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
