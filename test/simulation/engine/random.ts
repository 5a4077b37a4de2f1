export type Random = ReturnType<typeof randomStream>;

/**
 * A stream of pseudo-random numbers: the same for the same seed and name, on every machine. Each concern has a stream of its own, so that
 * leaving one thing out of a history leaves the others as they were: without that no history could be shrunk.
 */
export function randomStream(seed: number, name: string) {
  const next = sfc32(seed, name);
  // The first numbers of close seeds are close to each other.
  for (let i = 0; i < 12; i += 1) next();
  /** A whole number, at least 0, below `bound`. */
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    /** At least 0, below 1. */
    next,
    below,
    /** A whole number, both ends included. */
    between: (least: number, most: number): number => least + below(most - least + 1),
    chance: (probability: number): boolean => next() < probability,
    pick<T>(list: readonly T[]): T {
      const item = list[below(list.length)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
  };
}

/** Small Fast Counting generator with 128 bits of state. */
function sfc32(seed: number, name: string): () => number {
  let a = fingerprint(name);
  let b = seed >>> 0;
  let c = Math.floor(seed / 2 ** 32) >>> 0;
  let counter = 1;
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}

/** A number of 32 bits that stands for a text (FNV-1a). */
export function fingerprint(text: string): number {
  let value = 2_166_136_261;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 16_777_619);
  return value >>> 0;
}

/** A number of 32 bits that looks like chance and is always the same for the same numbers. */
export function mix(a: number, b: number): number {
  let value = Math.imul(a ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(b + 0x7f4a_7c15, 0xc2b2_ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b_3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
