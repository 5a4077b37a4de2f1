/** Seed of whatever a test draws by chance: set WIRE_SEED to the one that a failure names to meet the same again. */
export const seed = Number(process.env.WIRE_SEED ?? 20_261);

export interface Chance {
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  /** True with this probability. */
  is(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

export function chanceOf(random: () => number): Chance {
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    whole,
    is: (probability) => random() < probability,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
  };
}
