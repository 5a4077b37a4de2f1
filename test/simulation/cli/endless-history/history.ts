/** In the place of the real one: the history of every third seed has no end. */
export function runHistory(seed: number): Promise<{ seed: number; violations: [] }> {
  for (;;) if (seed % 3 !== 0) return Promise.resolve({ seed, violations: [] });
}
