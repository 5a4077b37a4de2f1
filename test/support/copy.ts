/** A copy of JSON in which nothing is shared but what is frozen: what is not written is lost, as with a real table. */
export function copyOf<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inside = (value as Record<string, unknown>)[key];
    if (inside !== undefined) result[key] = typeof inside === "object" ? copy(inside) : inside;
  }
  return result;
}
