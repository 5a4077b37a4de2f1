import { compileValue, InvalidEventPatternError, isObject, type Scalar, type ValueTest } from "./pattern-value.ts";

export { InvalidEventPatternError };

/** Says whether an event (a parsed JSON object) matches. */
export type Matcher = (event: object) => boolean;

/**
 * Compiles an EventBridge event pattern (content filtering, all operators, `$or`).
 *
 * Fields below objects within one array have to be matched by one element of it; list elements are alternatives;
 * `exists` looks at leaves only. Numbers are JavaScript numbers: beyond 15 digits they are compared as rounded.
 *
 * @param pattern parsed JSON
 * @throws {InvalidEventPatternError}
 * @example
 * const matches = createMatcher({ source: ["survey-poller"], detail: { data: { surveyId: [{ numeric: [">", 10] }] } } });
 * matches(envelope);
 */
export function createMatcher(pattern: unknown): Matcher {
  if (!isObject(pattern)) throw new InvalidEventPatternError("Filter is not an object");
  // An event matches when it satisfies any one branch of the pattern, which has no $or any more.
  const branches = addFields([], pattern, "", false).map(sortedFields);
  const paths = new Set(branches.flatMap((fields) => fields.map(([path]) => path)));
  return (event) => {
    const leaves = collectLeaves(event, paths);
    return branches.some((fields) => satisfies(fields, 0, leaves, new Map()));
  };
}

type Field = readonly [path: string, tests: readonly ValueTest[]];

/** AWS looks at the fields by name, and an absence holds in the array element that the fields before it have fixed. */
function sortedFields(branch: Branch): Field[] {
  return [...branch].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Which element of which array a value stands in: array number → index. */
type Membership = ReadonlyMap<number, number>;

interface Leaf {
  value: Scalar;
  membership: Membership;
}

function satisfies(
  fields: readonly Field[],
  from: number,
  leaves: ReadonlyMap<string, readonly Leaf[]>,
  fixed: Membership,
): boolean {
  const field = fields[from];
  if (field === undefined) return true;
  const [path, tests] = field;
  const consistent = (leaves.get(path) ?? []).filter(({ membership }) => agrees(membership, fixed));
  if (consistent.length === 0) {
    return tests.some((test) => test(undefined)) && satisfies(fields, from + 1, leaves, fixed);
  }
  return consistent.some(
    ({ value, membership }) =>
      tests.some((test) => test(value)) && satisfies(fields, from + 1, leaves, new Map([...fixed, ...membership])),
  );
}

function agrees(membership: Membership, fixed: Membership): boolean {
  for (const [array, index] of membership) {
    const before = fixed.get(array);
    if (before !== undefined && before !== index) return false;
  }
  return true;
}

function collectLeaves(event: object, paths: ReadonlySet<string>): Map<string, Leaf[]> {
  const leaves = new Map<string, Leaf[]>();
  let arrays = 0;

  function visit(value: unknown, path: string, membership: Membership): void {
    if (Array.isArray(value)) {
      const array = arrays++;
      for (const [index, element] of value.entries()) {
        const nested = typeof element === "object" && element !== null;
        visit(element, path, nested ? new Map([...membership, [array, index]]) : membership);
      }
    } else if (typeof value === "object" && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        visit(child, path === "" ? name : `${path}.${name}`, membership);
      }
    } else if (paths.has(path)) {
      const found = leaves.get(path) ?? [];
      found.push({ value: value as Scalar, membership });
      leaves.set(path, found);
    }
  }

  visit(event, "", new Map());
  return leaves;
}

/** Field paths joined by dots, each with its alternatives; an event has to satisfy all of them. */
type Branch = ReadonlyMap<string, readonly ValueTest[]>;

/** Names that AWS keeps for match expressions and therefore refuses as fields inside `$or`. */
const reservedInsideOr: ReadonlySet<string> = new Set([
  ...["exactly", "equals-ignore-case", "prefix", "suffix", "anything-but", "exists", "wildcard", "numeric", "cidr"],
  ...["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case"],
  ...["date-after", "date-on-or-after", "date-before", "date-on-or-before", "in-date-range"],
  ...["ip-address-in-range", "ip-address-not-in-range"],
]);

function addFields(branches: Branch[], fields: object, path: string, insideOr: boolean): Branch[] {
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

function addValues(branches: Branch[], path: string, values: unknown[]): Branch[] {
  if (values.length === 0) throw new InvalidEventPatternError("Empty arrays are not allowed");
  const tests = values.map(compileValue);
  // A field given twice (in and outside of $or, or as "a.b" and as "b" in "a"): the later one holds.
  return atLeastOne(branches).map((branch) => new Map(branch).set(path, tests));
}

function forkBranches(branches: Branch[], alternatives: unknown, path: string): Branch[] {
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

function atLeastOne(branches: Branch[]): Branch[] {
  return branches.length === 0 ? [new Map()] : branches;
}
