/** The message for a field nobody knows. It names fields only: a value could be a secret put into the wrong place. */
export function unknownField(name: string, known: readonly string[]): string {
  if (/secret|client|token|password|credential/i.test(name)) {
    return "unknown field; credentials never belong into the configuration but into the source's credentials secret";
  }
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `unknown field; the known ones here are ${known.join(", ")}`
    : `unknown field, did you mean "${nearest}"?`;
}

/** The candidate that a misspelt name was most likely meant to be; `undefined` when none is near enough to help. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  // A long unknown name is never a misspelling of ours, and the table above grows with its length.
  if (name.length > 64) return undefined;
  if (candidates.includes(name)) return name;
  let nearest: string | undefined;
  let smallest = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate);
    if (distance < smallest) [nearest, smallest] = [candidate, distance];
  }
  return nearest;
}

/** Edits between two short names: insert, delete, replace or swap of neighbours, each 1; upper and lower case count as equal. */
function editDistance(from: string, to: string): number {
  const a = from.toLowerCase();
  const b = to.toLowerCase();
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : replaced;
      current.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
