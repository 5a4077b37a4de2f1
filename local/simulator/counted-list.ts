/** A part of one item: `take` of its records from the one numbered `skip`, counted in the direction of reading. */
export interface Span {
  item: number;
  skip: number;
  take: number;
}

/**
 * An ordered list of items that each hold a number of records, cut at any record in logarithmic time. So page 5,000 of a long survey is as
 * cheap as page 1.
 */
export interface CountedList {
  /** Records in all items. */
  total(): number;
  insert(item: number, records: number): void;
  /** Removes the item, which must still compare as it did when it was inserted. */
  remove(item: number): void;
  /** The spans of `count` records from record `from`, counted from the end when `reverse`. */
  spans(from: number, count: number, reverse: boolean): Generator<Span>;
}

interface Chunk {
  items: number[];
  records: number[];
  /** Sum of `records`, kept: renumbering the chunks must not cost a walk through all items. */
  total: number;
}

// Small enough that a walk through one chunk costs microseconds, large enough that a million items need few chunks.
const chunkSize = 256;

/** `items` in the order of `compare`, with the number of records of each. */
export function createCountedList(
  compare: (a: number, b: number) => number,
  items: Float64Array,
  records: Uint16Array,
): CountedList {
  const chunks: Chunk[] = [];
  for (let start = 0; start < items.length; start += chunkSize) {
    const end = start + chunkSize;
    chunks.push(chunkOf(Array.from(items.subarray(start, end)), Array.from(records.subarray(start, end))));
  }
  const totals = () => createPrefixSums(chunks.map(({ total }) => total));
  let sums = totals();

  /** The first chunk whose last item is not before `item`. */
  const chunkIndex = (item: number): number =>
    firstIndex(chunks.length, (index) => compare(chunks[index]?.items.at(-1) ?? Number.NaN, item) >= 0);
  const placeIn = (chunk: Chunk, item: number): number =>
    firstIndex(chunk.items.length, (index) => compare(chunk.items[index] ?? Number.NaN, item) >= 0);

  return {
    total: () => sums.total(),
    insert(item, count) {
      if (chunks.length === 0) {
        chunks.push(chunkOf([item], [count]));
        sums = totals();
        return;
      }
      const index = Math.min(chunkIndex(item), chunks.length - 1);
      const chunk = chunks[index];
      if (chunk === undefined) return;
      const place = placeIn(chunk, item);
      chunk.items.splice(place, 0, item);
      chunk.records.splice(place, 0, count);
      chunk.total += count;
      if (chunk.items.length <= 2 * chunkSize) {
        sums.add(index, count);
        return;
      }
      const tail = chunkOf(chunk.items.splice(chunkSize), chunk.records.splice(chunkSize));
      chunk.total -= tail.total;
      chunks.splice(index + 1, 0, tail);
      sums = totals();
    },
    remove(item) {
      const index = chunkIndex(item);
      const chunk = chunks[index];
      const place = chunk === undefined ? 0 : placeIn(chunk, item);
      if (chunk === undefined || chunk.items[place] !== item) throw new Error(`item ${item} is not in the list`);
      chunk.items.splice(place, 1);
      const [count = 0] = chunk.records.splice(place, 1);
      chunk.total -= count;
      sums.add(index, -count);
      if (chunk.items.length > 0) return;
      chunks.splice(index, 1);
      sums = totals();
    },
    *spans(from, count, reverse) {
      let left = Math.min(count, sums.total() - from);
      if (left <= 0) return;
      const step = reverse ? -1 : 1;
      const found = sums.locate(reverse ? sums.total() - 1 - from : from);
      let index = found.index;
      const { place: start, rest } = recordIn(chunks[index], found.rest);
      let place = start;
      let skip = reverse ? (chunks[index]?.records[start] ?? 0) - 1 - rest : rest;
      while (left > 0) {
        const chunk = chunks[index];
        if (chunk === undefined) return;
        const item = chunk.items[place];
        if (item === undefined) {
          index += step;
          place = reverse ? (chunks[index]?.items.length ?? 0) - 1 : 0;
          continue;
        }
        const take = Math.min(left, (chunk.records[place] ?? 0) - skip);
        if (take > 0) yield { item, skip, take };
        left -= take;
        skip = 0;
        place += step;
      }
    },
  };
}

function recordIn(chunk: Chunk | undefined, position: number): { place: number; rest: number } {
  let place = 0;
  let rest = position;
  while (chunk !== undefined && rest >= (chunk.records[place] ?? Number.POSITIVE_INFINITY)) {
    rest -= chunk.records[place] ?? 0;
    place += 1;
  }
  return { place, rest };
}

function chunkOf(items: number[], records: number[]): Chunk {
  let total = 0;
  for (const count of records) total += count;
  return { items, records, total };
}

/** The smallest index for which `holds` is true; `holds` must turn from false to true once. */
function firstIndex(size: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Sums over the beginning of a list of numbers, changed and searched in logarithmic time (a Fenwick tree). */
interface PrefixSums {
  total(): number;
  /** Adds `delta` to the number at `index`. */
  add(index: number, delta: number): void;
  /** The index of the number in which `position` falls (0 ≤ position < total), and how far into it. */
  locate(position: number): { index: number; rest: number };
}

function createPrefixSums(numbers: readonly number[]): PrefixSums {
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
