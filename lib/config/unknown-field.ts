import { nearestName } from "./edit-distance.ts";

/** The message for a field nobody knows. It names fields only: a value could be a secret put into the wrong place. */
export function unknownField(
  name: string,
  known: readonly string[],
  successors: Readonly<Record<string, string>> = {},
): string {
  const successor = Object.hasOwn(successors, name) ? successors[name] : undefined;
  if (successor !== undefined) return `stands elsewhere now: use ${successor}`;
  if (/secret|client|token|password|credential/i.test(name)) {
    return "unknown field; credentials never belong into the configuration but into the source's credentials secret";
  }
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `unknown field; the known ones here are ${known.join(", ")}`
    : `unknown field, did you mean "${nearest}"?`;
}
