import { isObject } from "../json.ts";
import { configSchema } from "./schema.ts";
import { sourceFields } from "./source.ts";
import { nearestName } from "./unknown-field.ts";

const topFields = (): string[] => Object.keys(configSchema({ deployed: false }).shape);

/**
 * Whether the input is one bare source object instead of `{ "sources": […] }`. A misspelt field decides as the one it
 * was meant to be, so that the error speaks of the form the writer had in mind.
 */
export function isBareSource(input: unknown): boolean {
  if (!isObject(input) || Object.hasOwn(input, "sources")) return false;
  const ofSource = sourceFields();
  const all = [...topFields(), ...ofSource];
  return Object.keys(input).some((key) => {
    const meant = nearestName(key, all);
    return meant !== undefined && ofSource.includes(meant);
  });
}

/** Where a known field would belong that stands on the wrong level. */
export function misplaced(path: readonly PropertyKey[], bare: boolean): string | undefined {
  const field = String(path.at(-1));
  if (bare && path.length === 1 && topFields().includes(field)) {
    return `unknown field of a source: write { "sources": [ { … } ], "${field}": … }`;
  }
  if (!bare && path.length === 1 && sourceFields().includes(field))
    return "unknown field here: it belongs into a source";
  return undefined;
}

/** `["sources", 0, "interval"]` as `sources[0].interval`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
