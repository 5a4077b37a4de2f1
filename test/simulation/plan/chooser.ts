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

export type Chooser = ReturnType<typeof createChooser>;

/** Decides what a history is made of, from a stream of its own; what is left out takes its first, plain form. */
export function createChooser(random: Random, drop: ReadonlySet<string>, met: Set<string>) {
  return {
    random,
    /** Whether an ingredient may happen. */
    flag(name: string, probability: number): boolean {
      return random.chance(probability) && !drop.has(name);
    },
    /** One of the options, by weight; the first one is the plain one, and no ingredient. */
    option<T extends string>(name: string, weights: Record<T, number>): T {
      const entries = Object.entries(weights) as [T, number][];
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      })?.[0];
      const [plain] = entries.map(([one]) => one);
      if (plain === undefined || chosen === undefined) throw new RangeError(`${name} has no options`);
      const ingredient = `${name}:${chosen}`;
      if (chosen === plain || drop.has(name) || drop.has(ingredient)) return plain;
      met.add(ingredient);
      return chosen;
    },
  };
}

// What a history is made of follows how likely it is. Three histories in four draw what ordinary paginated services do.
// The others are from the odd corner: they draw from all that a service may do.

const ODD_SHARE = 0.25;
export const ODD_CORNER = "odd-corner";

/** What no ordinary service does, by the names of its ingredients: only histories of the odd corner draw it. */
const oddCorner = [
  // The list: its order, where records stand, how it ends, and what comes of it as a whole.
  "key:hash key:reversed layout pages:short past-end:repeat past-end:fault pages-fail",
  "survey-hidden survey-gone purge list:replicas",
  // What is read.
  "twins volatile orphan-records metrics-as metadata-as survey-ids created-odd counts:lying counts:odd",
  // Operation 9: for all responses of a survey, and for one for ever.
  "operation-9:gone operation-9:more operation-9:fewer operation-9:bare operation-9:failing",
  "single:never single:failing-for-ever",
  // The service is another one from a moment on.
  "flip:sortKey flip:counts flip:shortPages flip:volatile",
].flatMap((names) => names.split(" "));

/** What a history leaves out, given what it is to leave out anyway; `random` has a stream for this choice alone. */
export function planLeftOut(random: Random, cut: ReadonlySet<string>, met: Set<string>): ReadonlySet<string> {
  if (!random.chance(ODD_SHARE) || cut.has(ODD_CORNER)) return new Set([...cut, ...oddCorner]);
  met.add(ODD_CORNER);
  return cut;
}
