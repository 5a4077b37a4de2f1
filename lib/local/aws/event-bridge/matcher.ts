import { BlockList, isIPv4, isIPv6 } from "node:net";
import { isObject } from "../../../json.ts";

/** An event pattern that AWS would refuse as `InvalidEventPatternException`. */
export class InvalidEventPatternError extends Error {
  override readonly name = "InvalidEventPatternError";

  constructor(reason: string) {
    super(`Event pattern is not valid. Reason: ${reason}`);
  }
}

/** Says whether an event (a parsed JSON object) matches. */
export type Matcher = (event: object) => boolean;

/** One alternative of a pattern's list. It decides on a value (no object), or undefined where the event has none. */
type Test = (value: unknown) => boolean;

/** Field paths joined by dots, each with its alternatives; an event has to satisfy all of them. */
type Branch = ReadonlyMap<string, readonly Test[]>;

/** A value of an event, and which element of which array it stands in: array number → index. */
interface Leaf {
  value: unknown;
  place: ReadonlyMap<number, number>;
}

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
  if (!isObject(pattern)) return invalid("Filter is not an object");
  // An event matches when it satisfies any one branch of the pattern, which has no $or any more. AWS looks at the fields by name, and an
  // absence holds in the array element that the fields before it have fixed.
  const branches = branchesOf(pattern, "", false, [new Map()]).map((branch) =>
    [...branch].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  return (event) => {
    const leaves = Map.groupBy(leavesOf(event), ([path]) => path);
    const satisfies = ([field, ...others]: [string, readonly Test[]][], fixed: Leaf["place"]): boolean => {
      if (field === undefined) return true;
      const [path, tests] = field;
      const found = (leaves.get(path) ?? []).map(([, leaf]) => leaf).filter(({ place }) => agree(place, fixed));
      const tried: Leaf[] = found.length === 0 ? [{ value: undefined, place: fixed }] : found;
      return tried.some(
        ({ value, place }) => tests.some((test) => test(value)) && satisfies(others, new Map([...fixed, ...place])),
      );
    };
    return branches.some((fields) => satisfies(fields, new Map()));
  };
}

function agree(place: Leaf["place"], fixed: Leaf["place"]): boolean {
  return [...place].every(([array, index]) => (fixed.get(array) ?? index) === index);
}

/** The values of an event, by their paths. */
function leavesOf(event: object): [path: string, Leaf][] {
  let arrays = 0;
  function below(value: unknown, path: string, place: Leaf["place"]): [string, Leaf][] {
    if (Array.isArray(value)) {
      const array = arrays++;
      // Elements that are values alone are alternatives, and fix nothing.
      return value.flatMap((one, index) =>
        below(one, path, typeof one === "object" && one !== null ? new Map([...place, [array, index]]) : place),
      );
    }
    if (!isObject(value)) return [[path, { value, place }]];
    return Object.entries(value).flatMap(([name, one]) => below(one, path === "" ? name : `${path}.${name}`, place));
  }
  return below(event, "", new Map());
}

/** Names that AWS keeps for match expressions and therefore refuses as fields inside `$or`. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["exactly", "equals-ignore-case", "prefix", "suffix", "anything-but", "exists", "wildcard", "numeric", "cidr"],
  ...["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case"],
  ...["date-after", "date-on-or-after", "date-before", "date-on-or-before", "in-date-range"],
  ...["ip-address-in-range", "ip-address-not-in-range"],
]);

/** Each branch that there is so far, with these fields: a $or makes several of each. */
function branchesOf(fields: object, path: string, isInOr: boolean, before: Branch[]): Branch[] {
  const entries = Object.entries(fields);
  if (entries.length === 0) return invalid("Empty objects are not allowed");
  return entries.reduce((branches, [name, value]) => {
    if (name === "$or") return alternatives(value).flatMap((one) => branchesOf(one, path, true, branches));
    if (isInOr && RESERVED.has(name))
      return invalid(`${name} is a reserved field name which cannot be used inside $or.`);
    const here = path === "" ? name : `${path}.${name}`;
    if (isObject(value)) return branchesOf(value, here, isInOr, branches);
    if (!Array.isArray(value)) return invalid(`"${name}" must be an object or an array`);
    if (value.length === 0) return invalid("Empty arrays are not allowed");
    const tests = value.map(testOf);
    // A field given twice (in and outside of $or, or as "a.b" and as "b" in "a"): the later one holds.
    return branches.map((branch) => new Map(branch).set(here, tests));
  }, before);
}

function alternatives(value: unknown): object[] {
  if (Array.isArray(value) && value.length >= 2 && value.every(isObject)) return value;
  return invalid("There must be an array of at least 2 objects in a $or relationship.");
}

/** Compiles one element of a pattern's list: a plain value, or a match expression like `{"prefix": "a"}`. */
function testOf(value: unknown): Test {
  if (typeof value === "string") return equals(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return (other) => other === value;
  return (
    expressionIn(value, expressions) ?? invalid("A match expression is unknown, or has an operand that it cannot take")
  );
}

type Compile = (operand: unknown) => Test | undefined;

/** The test of an object with one of these match expressions; undefined for anything else. */
function expressionIn(value: unknown, known: Readonly<Record<string, Compile>>): Test | undefined {
  const [[name = "", operand] = [], ...more] = isObject(value) ? Object.entries(value) : [];
  return more.length === 0 && Object.hasOwn(known, name) ? known[name]?.(operand) : undefined;
}

/** Tests of a text by an expression that is made of the operand. */
const onText =
  (sourceOf: (operand: string) => string | undefined): Compile =>
  (operand) => {
    const source = typeof operand === "string" ? sourceOf(operand) : undefined;
    if (source === undefined) return undefined;
    const expression = new RegExp(source);
    return (value) => typeof value === "string" && expression.test(value);
  };

const ignoringCase = onText((text) => `^${inAnyCase(text)}$`);
const wildcard = onText((text) => {
  const parts = text.match(/\\[*\\]|\*+|./gs) ?? [];
  // A backslash escapes one of these two alone, and two stars are none.
  if (parts.some((part) => part === "\\" || part.startsWith("**"))) return undefined;
  return `^${parts.map((part) => (part === "*" ? "[^]*" : literal(part.at(-1) ?? ""))).join("")}$`;
});

/** `{"prefix": "a"}`, or in any case as `{"prefix": {"equals-ignore-case": "a"}}`. */
const atEdge =
  (start: "^" | "", end: "$" | ""): Compile =>
  (operand) =>
    onText((text) => `${start}${literal(text)}${end}`)(operand) ??
    expressionIn(operand, { "equals-ignore-case": onText((text) => `${start}${inAnyCase(text)}${end}`) });

const prefix = atEdge("^", "");
const suffix = atEdge("", "$");

const expressions: Readonly<Record<string, Compile>> = {
  "anything-but": anythingBut,
  cidr: addressInBlock,
  "equals-ignore-case": ignoringCase,
  exactly: (operand) => (typeof operand === "string" ? (value) => value === operand : undefined),
  exists: (operand) => (typeof operand === "boolean" ? (value) => (value !== undefined) === operand : undefined),
  numeric,
  prefix,
  suffix,
  wildcard,
};

/** A value that none of a list matches: of numbers, of texts, or of texts as an expression takes them. */
function anythingBut(operand: unknown): Test | undefined {
  const unless = (list: readonly unknown[], compile: Compile): Test | undefined => {
    const tests = list.flatMap((one) => compile(one) ?? []);
    if (list.length === 0 || tests.length < list.length) return undefined;
    return (value) => value !== undefined && !tests.some((test) => test(value));
  };
  const list = (values: unknown): unknown[] => (Array.isArray(values) ? values : [values]);
  if (!isObject(operand)) {
    const kind = typeof list(operand)[0];
    const isKnown = kind === "number" || kind === "string";
    return unless(list(operand), (one) => (isKnown && typeof one === kind ? (value) => value === one : undefined));
  }
  const edge = (compile: Compile) => (values: unknown) =>
    unless(list(values), (one) => (typeof one === "string" && one !== "" ? compile(one) : undefined));
  return expressionIn(operand, {
    "equals-ignore-case": (values) => unless(list(values), ignoringCase),
    wildcard: (values) => unless(list(values), wildcard),
    prefix: edge(prefix),
    suffix: edge(suffix),
  });
}

const COMPARISONS: Readonly<Record<string, (number: number, bound: number) => boolean>> = {
  "<": (number, bound) => number < bound,
  "<=": (number, bound) => number <= bound,
  "=": (number, bound) => number === bound,
  ">": (number, bound) => number > bound,
  ">=": (number, bound) => number >= bound,
};

/** `[">", 0]`, or a range as `[">", 0, "<=", 5]`. */
function numeric(operand: unknown): Test | undefined {
  if (!Array.isArray(operand)) return undefined;
  const [operator, bound, second, limit, ...more] = operand as unknown[];
  const first = comparison(operator, bound);
  if (operand.length === 2 || first === undefined) return first;
  const other = comparison(second, limit);
  const isRange = /^>/.test(String(operator)) && /^</.test(String(second)) && Number(bound) < Number(limit);
  return isRange && other !== undefined && more.length === 0 ? (value) => first(value) && other(value) : undefined;
}

function comparison(operator: unknown, bound: unknown): Test | undefined {
  const compare =
    typeof operator === "string" && Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (compare === undefined || typeof bound !== "number" || !Number.isFinite(bound)) return undefined;
  return (value) => typeof value === "number" && compare(value, bound);
}

/** Letter by letter, so that a letter whose capital is two letters (ß) matches those two and no folding takes place. */
function inAnyCase(text: string): string {
  return text
    .split("")
    .map((letter) => `(?:${literal(letter.toLowerCase())}|${literal(letter.toUpperCase())})`)
    .join("");
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** A plain string: one that is an address stands for every way of writing that address. */
function equals(text: string): Test {
  const family = familyOf(text);
  if (family === undefined) return (value) => value === text;
  const addresses = new BlockList();
  addresses.addAddress(text, family);
  return addressIn(addresses);
}

/** @param block such as `10.0.0.0/8` */
function addressInBlock(block: unknown): Test | undefined {
  const [, address = "", bits] = /^([^/]+)\/(\d+)$/.exec(typeof block === "string" ? block : "") ?? [];
  const family = familyOf(address);
  // A block of one address is none for AWS.
  if (family === undefined || Number(bits) >= (family === "ipv6" ? 128 : 32)) return undefined;
  const addresses = new BlockList();
  addresses.addSubnet(address, Number(bits), family);
  return addressIn(addresses);
}

function addressIn(addresses: BlockList): Test {
  return (value) => {
    const family = typeof value === "string" ? familyOf(value) : undefined;
    return family !== undefined && addresses.check(String(value), family);
  };
}

/** Undefined for anything that is no address. One with a zone belongs to a machine: nobody writes it in an event. */
function familyOf(text: string): "ipv4" | "ipv6" | undefined {
  if (isIPv4(text)) return "ipv4";
  return isIPv6(text) && !text.includes("%") ? "ipv6" : undefined;
}

function invalid(reason: string): never {
  throw new InvalidEventPatternError(reason);
}
