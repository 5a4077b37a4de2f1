/**
 * The indexes of `keys` (integers) in ascending order of their keys, equal keys in the order given. Key and index are packed into one
 * double where they fit. Sorting a million doubles without a comparator takes a tenth of a second, with one more than a second.
 */
export function sortOrder(keys: Float64Array): Uint32Array {
  const size = keys.length;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const key of keys) {
    least = Math.min(least, key);
    most = Math.max(most, key);
  }
  const order = new Uint32Array(size);
  if ((most - least + 1) * size > Number.MAX_SAFE_INTEGER) {
    for (let index = 0; index < size; index += 1) order[index] = index;
    return order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  }
  const packed = new Float64Array(size);
  for (let index = 0; index < size; index += 1) packed[index] = ((keys[index] ?? 0) - least) * size + index;
  packed.sort();
  for (let index = 0; index < size; index += 1) order[index] = (packed[index] ?? 0) % size;
  return order;
}
