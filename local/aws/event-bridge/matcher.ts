import { type Branch, compilePattern } from "./pattern.ts";
import { candidatesOf, type ValueTest } from "./value-test.ts";

export { InvalidEventPatternError } from "./invalid-pattern.ts";

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
  const branches = compilePattern(pattern).map(sortedFields);
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

type Scalar = string | number | boolean | null;

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
    return tests.some(({ absence }) => absence === true) && satisfies(fields, from + 1, leaves, fixed);
  }
  return consistent.some(
    ({ value, membership }) =>
      matchesAny(tests, value) && satisfies(fields, from + 1, leaves, new Map([...fixed, ...membership])),
  );
}

function agrees(membership: Membership, fixed: Membership): boolean {
  for (const [array, index] of membership) {
    const before = fixed.get(array);
    if (before !== undefined && before !== index) return false;
  }
  return true;
}

function matchesAny(tests: readonly ValueTest[], value: Scalar): boolean {
  const candidates = candidatesOf(value, tests);
  return tests.some(({ matches }) => matches !== undefined && candidates.some(matches));
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
