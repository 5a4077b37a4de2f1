/**
 * A 32-bit hash of up to six integers. Everything that looks random in the simulator is such a hash of (seed, survey, response, …). So a
 * response of a million-response survey is computed when asked for and never stored.
 */
export function hash32(a: number, b = 0, c = 0, d = 0, e = 0, f = 0): number {
  return stir(stir(stir(stir(stir(stir(0x2545f491, a), b), c), d), e), f) >>> 0;
}

/** The same hash as a fraction in [0, 1). */
export function hashFraction(a: number, b = 0, c = 0, d = 0, e = 0, f = 0): number {
  return hash32(a, b, c, d, e, f) / 2 ** 32;
}

/** A source of fractions in [0, 1) that repeats itself for the same seed. */
export function createRandom(seed: number): () => number {
  let drawn = 0;
  return () => hashFraction(seed, drawn++, 0x5eed);
}

// Two rounds of multiply and shift a part: enough for neighbouring ids to look unrelated, cheap enough for millions.
function stir(state: number, part: number): number {
  const first = Math.imul(state ^ part, 0x9e3779b1);
  const second = Math.imul(first ^ (first >>> 15), 0x85ebca77);
  return second ^ (second >>> 13);
}
