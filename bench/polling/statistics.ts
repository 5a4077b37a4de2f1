export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export const worst = (values: number[]): number => values.reduce((most, value) => Math.max(most, value), 0);
