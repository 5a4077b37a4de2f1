/** Puts one more at the end, and lets the oldest go where there are more than `most`. */
export function keep<T>(all: T[], one: T, most: number): void {
  all.push(one);
  // Cut back now and then alone: a shift for each costs as much as a long list is long.
  if (all.length >= 2 * most) all.splice(0, all.length - most);
}

/** The last of them, at most so many. */
export function latest<T>(all: readonly T[], most: number): T[] {
  return all.slice(-most);
}
