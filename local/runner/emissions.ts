/** How many events of a survey went out, and when. */
export interface Emissions {
  count: number;
  /** How many went out after this moment (epoch milliseconds). */
  since(at: number): number;
}

export interface EmissionsLog extends Emissions {
  add(count: number, at: number): void;
}

export function createEmissions(): EmissionsLog {
  const batches: { count: number; at: number }[] = [];
  return {
    count: 0,
    add(count, at) {
      this.count += count;
      batches.push({ count, at });
    },
    since: (moment) => batches.reduce((sum, { count, at }) => (at > moment ? sum + count : sum), 0),
  };
}
