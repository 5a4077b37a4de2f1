/** How many missing responses the stated probabilities are for. */
const MISSING = [1, 10, 100];

/**
 * The probability that at least one of so many missing responses is seen on `read` pages, drawn out of `pages` without replacement. The
 * responses lie anywhere, by chance. Each lies on one page, and is seen with `read / pages`. Those on different pages are seen with a
 * little more, and those that all lie on one page with that of one.
 */
export function chanceToSee(missing: number, { read, pages }: { read: number; pages: number }): number {
  if (pages === 0) return 0;
  return 1 - (1 - Math.min(1, read / pages)) ** missing;
}

export function chances(of: { read: number; pages: number }): { missing: number; seen: number }[] {
  return MISSING.map((missing) => ({ missing, seen: chanceToSee(missing, of) }));
}

/** The same where all missing ones lie on one page, as after a failure at one moment: never more than that of one. */
export function chanceOfOnePage({ read, pages }: { read: number; pages: number }): number {
  return chanceToSee(1, { read, pages });
}

/** So many of the pages 1 to `pages`, in ascending order; the same for the same seed. */
export function drawPages(pages: number, percent: number, seed: number): number[] {
  const wanted = Math.min(pages, Math.max(1, Math.ceil((pages * percent) / 100)));
  const random = randomOf(seed);
  const drawn: number[] = [];
  // Each is drawn with what is still wanted out of what is still left: so every choice is as likely as any other.
  for (let page = 1; page <= pages && drawn.length < wanted; page += 1) {
    if (random() * (pages - page + 1) < wanted - drawn.length) drawn.push(page);
  }
  return drawn;
}

/** Numbers from 0 to below 1, by the mulberry32 generator. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
