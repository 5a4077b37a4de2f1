/** What one drain came to. */
export interface Drained {
  responses: number;
  seconds: number;
  /** Seconds of CPU of this process. */
  cpu: number;
}

/** Runs `work`, which gives how many responses it had, and takes its time. */
export async function measured(work: () => Promise<number>): Promise<Drained> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const responses = await work();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { responses, seconds, cpu: (user + system) / 1e6 };
}

/** Two drains as one, such as one before and one after what they are compared with. */
export const both = (one: Drained, other: Drained): Drained => ({
  responses: one.responses + other.responses,
  seconds: one.seconds + other.seconds,
  cpu: one.cpu + other.cpu,
});

export const perSecond = ({ responses, seconds }: Drained): number => responses / seconds;

export const cpuEach = ({ cpu, responses }: Drained): number => cpu / responses;

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

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
