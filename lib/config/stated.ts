import { isObject, pathText } from "./shape.ts";

/** Paths of all fields of a raw configuration that ask for something: `false`, `[]` and `{}` ask for nothing. */
export function statedFields(input: unknown, path: readonly PropertyKey[] = []): string[] {
  if (input === false || input === undefined) return [];
  const own = path.length > 0 && typeof path.at(-1) !== "number" ? [pathText(path)] : [];
  if (!isObject(input) && !Array.isArray(input)) return own;
  const entries: [PropertyKey, unknown][] = Array.isArray(input)
    ? input.map((value, index) => [index, value])
    : Object.entries(input);
  if (entries.length === 0) return [];
  return [...own, ...entries.flatMap(([key, value]) => statedFields(value, [...path, key]))];
}
