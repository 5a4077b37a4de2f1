import type { Random } from "../engine/random.ts";

/** What is left out of a history, and how far it is cut down: what shrinking changes. */
export interface Cuts {
  /** Ingredients that do not happen, by name. */
  drop: ReadonlySet<string>;
  /** Most surveys, ticks with changes, and responses of a survey. */
  surveys: number;
  ticks: number;
  responses: number;
}

export const noCuts: Cuts = { drop: new Set(), surveys: Infinity, ticks: Infinity, responses: Infinity };

/** Decides what a history is made of; what is left out takes its first, plain form. */
export interface Chooser {
  /** Whether an ingredient may happen. */
  flag(name: string, probability: number): boolean;
  /** One of the options, by weight; the first one is the plain one, and no ingredient. */
  option<T extends string>(name: string, weights: Record<T, number>): T;
}

export function createChooser(random: Random, drop: ReadonlySet<string>, meet: (name: string) => void): Chooser {
  return {
    flag(name, probability) {
      const chosen = random.chance(probability);
      return chosen && !drop.has(name);
    },
    option(name, weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      const plain = entries[0];
      if (plain === undefined || chosen === undefined) throw new RangeError(`${name} has no options`);
      const ingredient = `${name}:${chosen[0]}`;
      if (drop.has(name) || drop.has(ingredient) || chosen === plain) return plain[0];
      meet(ingredient);
      return chosen[0];
    },
  };
}
