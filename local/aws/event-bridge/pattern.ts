import { InvalidEventPatternError } from "./invalid-pattern.ts";
import { compileValue } from "./pattern-value.ts";
import type { ValueTest } from "./value-test.ts";

/** Field paths joined by dots, each with its alternatives; an event has to satisfy all of them. */
export type Branch = ReadonlyMap<string, readonly ValueTest[]>;

/** Names that AWS keeps for match expressions and therefore refuses as fields inside `$or`. */
const reservedInsideOr: ReadonlySet<string> = new Set([
  ...["exactly", "equals-ignore-case", "prefix", "suffix", "anything-but", "exists", "wildcard", "numeric", "cidr"],
  ...["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case"],
  ...["date-after", "date-on-or-after", "date-before", "date-on-or-before", "in-date-range"],
  ...["ip-address-in-range", "ip-address-not-in-range"],
]);

/**
 * Spells a pattern out into branches without `$or`: an event matches when it satisfies any one of them.
 *
 * @throws {InvalidEventPatternError}
 */
export function compilePattern(pattern: unknown): Branch[] {
  if (!isObject(pattern)) throw new InvalidEventPatternError("Filter is not an object");
  return addFields([], pattern, "", false);
}

type OpenBranch = Map<string, readonly ValueTest[]>;

function addFields(branches: OpenBranch[], fields: object, path: string, insideOr: boolean): OpenBranch[] {
  const entries = Object.entries(fields);
  if (entries.length === 0) throw new InvalidEventPatternError("Empty objects are not allowed");
  let open = branches;
  for (const [name, value] of entries) {
    if (name === "$or") {
      open = forkBranches(open, value, path);
      continue;
    }
    if (insideOr && reservedInsideOr.has(name)) {
      throw new InvalidEventPatternError(`${name} is a reserved field name which cannot be used inside $or.`);
    }
    const here = path === "" ? name : `${path}.${name}`;
    if (isObject(value)) open = addFields(open, value, here, insideOr);
    else if (Array.isArray(value)) open = addValues(open, here, value);
    else throw new InvalidEventPatternError(`"${name}" must be an object or an array`);
  }
  return open;
}

function addValues(branches: OpenBranch[], path: string, values: unknown[]): OpenBranch[] {
  if (values.length === 0) throw new InvalidEventPatternError("Empty arrays are not allowed");
  const tests = values.map(compileValue);
  // A field given twice (in and outside of $or, or as "a.b" and as "b" in "a"): the later one holds.
  return atLeastOne(branches).map((branch) => new Map(branch).set(path, tests));
}

function forkBranches(branches: OpenBranch[], alternatives: unknown, path: string): OpenBranch[] {
  if (!Array.isArray(alternatives)) throw new InvalidEventPatternError("It must be an Array followed with $or.");
  const forks = alternatives.map((alternative) => {
    if (!isObject(alternative)) {
      throw new InvalidEventPatternError("Only JSON object is allowed in array of $or relationship.");
    }
    return addFields(atLeastOne(branches), alternative, path, true);
  });
  if (forks.length < 2) throw new InvalidEventPatternError("There must have at least 2 Objects in $or relationship.");
  return forks.flat();
}

function atLeastOne(branches: OpenBranch[]): OpenBranch[] {
  return branches.length === 0 ? [new Map()] : branches;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
