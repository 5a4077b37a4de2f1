import type { Random } from "../engine/random.ts";

/** What is left out of a history, and how far it is cut down: what shrinking changes. */
export interface Cuts {
  /** Ingredients that do not happen, by name. */
  drop: ReadonlySet<string>;
  /** Most ticks with changes, and responses of a survey. */
  ticks: number;
  responses: number;
}

export const noCuts: Cuts = { drop: new Set(), ticks: Infinity, responses: Infinity };

/** Every ingredient that was offered, with whether it was drawn. */
export type Offers = Map<string, boolean>;

export type Chooser = ReturnType<typeof createChooser>;

/** Decides what a history is made of, from a stream of its own; what is left out takes its first, plain form. */
export function createChooser(random: Random, drop: ReadonlySet<string>, met: Set<string>, offers: Offers) {
  const offer = (ingredient: string, isDrawn: boolean): void => {
    if (isDrawn || !offers.has(ingredient)) offers.set(ingredient, isDrawn);
  };
  return {
    random,
    /** Whether an ingredient may happen. */
    flag(name: string, probability: number): boolean {
      const chosen = random.chance(probability) && !drop.has(name);
      offer(name, chosen);
      return chosen;
    },
    /** One of the options, by weight; the first one is the plain one, and no ingredient. */
    option<T extends string>(name: string, weights: Record<T, number>): T {
      const entries = Object.entries(weights) as [T, number][];
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      })?.[0];
      const [plain, ...others] = entries.map(([one]) => one);
      if (plain === undefined || chosen === undefined) throw new RangeError(`${name} has no options`);
      for (const other of others) offer(`${name}:${other}`, false);
      const ingredient = `${name}:${chosen}`;
      if (chosen === plain || drop.has(name) || drop.has(ingredient)) return plain;
      offer(ingredient, true);
      met.add(ingredient);
      return chosen;
    },
  };
}
