/** Sums over the beginning of a list of numbers, changed and searched in logarithmic time (a Fenwick tree). */
export interface PrefixSums {
  total(): number;
  /** Adds `delta` to the number at `index`. */
  add(index: number, delta: number): void;
  /** The index of the number in which `position` falls (0 ≤ position < total), and how far into it. */
  locate(position: number): { index: number; rest: number };
}

export function createPrefixSums(numbers: readonly number[]): PrefixSums {
  const size = numbers.length;
  const tree = new Float64Array(size + 1);
  let total = 0;
  for (const [index, number] of numbers.entries()) {
    total += number;
    const node = index + 1;
    tree[node] = (tree[node] ?? 0) + number;
    const parent = node + (node & -node);
    if (parent <= size) tree[parent] = (tree[parent] ?? 0) + (tree[node] ?? 0);
  }
  const highest = size === 0 ? 0 : 2 ** Math.floor(Math.log2(size));

  return {
    total: () => total,
    add(index, delta) {
      total += delta;
      for (let node = index + 1; node <= size; node += node & -node) tree[node] = (tree[node] ?? 0) + delta;
    },
    locate(position) {
      let index = 0;
      let rest = position;
      for (let step = highest; step > 0; step >>= 1) {
        const sum = index + step <= size ? (tree[index + step] ?? 0) : Number.POSITIVE_INFINITY;
        if (sum > rest) continue;
        index += step;
        rest -= sum;
      }
      return { index, rest };
    },
  };
}
