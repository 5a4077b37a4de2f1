import fc from "fast-check";
import type { RuleCase } from "./oracle.ts";

type Scalar = string | number | boolean | null;

/**
 * Small pools, so that patterns and events meet often; with the values on which matchers tend to differ. None has quotes: to event-ruler the
 * quotes around a string belong to it, so that the prefix `a"` is one of "a".
 */
const strings = [
  ...["", "a", "ab", "abc", "ABC", "Abc", "b", "aab", "a*c", "a\\c", "é", "É", "straße", "STRASSE", "日本"],
  ...["1", "true", "null", "256.1.1.1", "12:30"],
];
/**
 * event-ruler compares an address with any value by its digits. So numbers and other texts fall into some blocks: /0, or 16.0.0.0/8. These
 * are left out, and so is a way of writing an address that no event of ours has ("010.0.0.1").
 */
const addresses = [
  ...["10.0.0.1", "10.0.0.2", "10.255.255.255", "192.168.1.1", "172.16.0.1"],
  ...["::1", "0:0:0:0:0:0:0:1", "2001:db8::1", "2001:DB8:0::1", "::ffff:0a00:0001"],
];
const numbers = [0, 1, -1, 1.5, 5, 6, 9, 10, 300, -0.5, 1e10, -5e9, 0.1, 10000001, 1012, 123456789012345];
/**
 * "p.q" can also be spelled as "q" in "p". A name that is at once a path through other names ("a.b" beside "b" in "a")
 * is left out: event-ruler 2.1.0 then drops values by how they stand in arrays, and nothing of ours has dots in names.
 */
const names = ["a", "b", "c", "d", "p.q", "$or-ish"];
const blocks = ["10.0.0.0/8", "10.0.0.0/31", "192.168.0.0/16", "172.16.0.0/12", "2001:db8::/32", "10.0.0.1/9"];

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...strings, ...addresses) },
  { weight: 4, arbitrary: fc.constantFrom(...numbers) },
  { weight: 2, arbitrary: fc.constantFrom<Scalar>(true, false, null) },
);

const { object: eventObject } = fc.letrec<{ object: object; value: unknown }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 4 }),
  value: fc.oneof(
    { depthSize: "small" },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: tie("object") },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.array(tie("object"), { minLength: 1, maxLength: 3 }) },
  ),
}));

type Generator = fc.GeneratorValue;
type Path = readonly string[];

/** Leaves of an event by the names that lead to them, as a pattern has to spell them. */
function leavesOf(value: unknown, path: Path = []): { path: Path; value: Scalar }[] {
  if (Array.isArray(value)) return value.flatMap((element) => leavesOf(element, path));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, child]) => leavesOf(child, [...path, name]));
  }
  return path.length === 0 ? [] : [{ path, value: value as Scalar }];
}

function pick<T>(g: Generator, ...values: readonly T[]): T {
  return g(() => fc.constantFrom(...values));
}

function chance(g: Generator, percent: number): boolean {
  return g(() => fc.integer({ min: 0, max: 99 })) < percent;
}

/** An alternative that mostly holds for the value. */
function testFor(g: Generator, value: Scalar): unknown {
  if (chance(g, 6)) return { exists: chance(g, 60) };
  if (typeof value === "number")
    return pick<() => unknown>(
      g,
      () => value,
      () => numericTest(g, value),
      () => anythingBut(g, value),
    )();
  if (typeof value !== "string") return chance(g, 80) ? value : anythingBut(g, "a");
  const [start, end] = [value.slice(0, 2), value.slice(-2)];
  return pick<() => unknown>(
    g,
    () => value,
    () => ({ exactly: value }),
    () => ({ prefix: start }),
    () => ({ suffix: end }),
    () => ({ prefix: { "equals-ignore-case": start.toUpperCase() } }),
    () => ({ suffix: { "equals-ignore-case": end.toLowerCase() } }),
    () => ({ "equals-ignore-case": chance(g, 50) ? value.toUpperCase() : value.toLowerCase() }),
    () => ({ wildcard: wildcardFor(g, value) }),
    () => ({ cidr: pick(g, ...blocks) }),
    () => anythingBut(g, value),
    () => stringAnythingBut(g, value),
  )();
}

function numericTest(g: Generator, value: number): unknown {
  const below = value - pick(g, 0, 1, 2.5);
  const above = value + pick(g, 0, 1, 2.5);
  return {
    numeric: pick<unknown[]>(
      g,
      ["=", value],
      ["<", above],
      ["<=", above],
      [">", below],
      [">=", below],
      [pick(g, ">", ">="), below, pick(g, "<", "<="), above],
    ),
  };
}

function wildcardFor(g: Generator, value: string): string {
  const escaped = value.replace(/[\\*]/g, "\\$&");
  const cut = g(() => fc.integer({ min: 0, max: value.length }));
  return pick(g, "*", escaped, `${value.slice(0, cut).replace(/[\\*]/g, "\\$&")}*`, "a*", "*c", "a*b*c", "*b*");
}

function anythingBut(g: Generator, value: string | number): unknown {
  const others = typeof value === "number" ? numbers : [...strings, ...addresses];
  const other = pick<string | number>(g, ...others);
  return { "anything-but": pick<unknown>(g, other, [other], [other, value], value) };
}

function stringAnythingBut(g: Generator, value: string): unknown {
  const operator = pick(g, "prefix", "suffix", "equals-ignore-case", "wildcard");
  const operand = () => {
    if (operator === "wildcard") return wildcardFor(g, chance(g, 30) ? value : pick(g, ...strings));
    const from = chance(g, 30) ? value : pick(g, ...strings);
    return operator === "equals-ignore-case" ? from : from.slice(0, 2);
  };
  return { "anything-but": { [operator]: chance(g, 50) ? operand() : [operand(), operand()] } };
}

const broken: readonly unknown[] = [
  ...["a", 1, null, [], {}, [{}], [[]], [{ prefix: 1 }], [{ prefix: "a", suffix: "b" }], [{ unknown: "a" }]],
  ...[[{ numeric: [] }], [{ numeric: ["<", 5, ">", 1] }], [{ numeric: [">", 5, "<", 5] }], [{ numeric: ["=", "1"] }]],
  ...[[{ numeric: ["!=", 1] }], [{ numeric: "<" }], [{ exists: "yes" }], [{ exists: true, prefix: "a" }]],
  ...[[{ "anything-but": [] }], [{ "anything-but": ["a", 1] }], [{ "anything-but": null }], [{ "anything-but": true }]],
  ...[[{ "anything-but": { prefix: "" } }], [{ "anything-but": { numeric: ["=", 1] } }]],
  ...[[{ wildcard: "a**b" }], [{ wildcard: "a\\b" }], [{ wildcard: 1 }], [{ "equals-ignore-case": ["a"] }]],
  ...[[{ cidr: "10.0.0.0" }], [{ cidr: "10.0.0.0/32" }], [{ cidr: "x/8" }], [{ cidr: "10.0.0.0/x" }], [{ cidr: 1 }]],
  ...[[{ cidr: "300.0.0.0/8" }], [{ cidr: "::/128" }], [{ exactly: 1 }], [{ prefix: { "equals-ignore-case": 1 } }]],
];

function listFor(g: Generator, value: Scalar): unknown {
  if (chance(g, 2)) return pick(g, ...broken);
  const list = [testFor(g, chance(g, 80) ? value : g(() => scalar))];
  while (chance(g, 25))
    list.push(
      testFor(
        g,
        g(() => scalar),
      ),
    );
  return list;
}

/** Puts a list where the path leads, instead of a list that stands in the way. */
function place(pattern: Record<string, unknown>, path: Path, list: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    pattern[name] = list;
    return;
  }
  const before = pattern[name];
  const inner = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
  pattern[name] = inner;
  place(inner as Record<string, unknown>, rest, list);
}

/** The same path with other cuts between the names of it. */
function respelled(g: Generator, path: Path): Path {
  if (chance(g, 90)) return path;
  return chance(g, 50) ? [path.join(".")] : path.join(".").split(".");
}

function fieldsFor(g: Generator, event: object, most: number): Record<string, unknown> {
  const leaves = leavesOf(event);
  const pattern: Record<string, unknown> = {};
  const count = g(() => fc.integer({ min: 1, max: most }));
  for (let index = 0; index < count; index++) {
    const leaf = leaves.length > 0 && chance(g, 92) ? pick(g, ...leaves) : undefined;
    const path = leaf?.path ?? g(() => fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }));
    const list = leaf === undefined && chance(g, 60) ? [{ exists: false }] : listFor(g, leaf?.value ?? g(() => scalar));
    place(pattern, respelled(g, path), list);
  }
  return pattern;
}

function patternFor(g: Generator, event: object): Record<string, unknown> {
  const pattern = chance(g, 85) ? fieldsFor(g, event, 3) : {};
  const empty = Object.keys(pattern).length === 0;
  if (!empty && !chance(g, 20)) return pattern;
  const alternatives: unknown[] = [fieldsFor(g, event, 2)];
  while (alternatives.length < 2 || chance(g, 30)) {
    if (chance(g, 3))
      return { ...pattern, $or: pick<unknown>(g, alternatives, "a", [{ prefix: ["a"] }, { a: ["b"] }]) };
    alternatives.push(
      chance(g, 10) ? { $or: [fieldsFor(g, event, 1), fieldsFor(g, event, 1)] } : fieldsFor(g, event, 2),
    );
  }
  // The position matters: of a field given twice, the later one holds.
  return chance(g, 50) ? { ...pattern, $or: alternatives } : { $or: alternatives, ...pattern };
}

const ruleCase: fc.Arbitrary<RuleCase> = fc.gen().map((g) => {
  const event = g(() => eventObject);
  return { event, pattern: patternFor(g, event) };
});

/** The same cases for the same seed. */
export function generateCases(count: number, seed: number): RuleCase[] {
  return fc.sample(ruleCase, { numRuns: count, seed });
}
