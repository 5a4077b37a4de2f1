import { BlockList, isIPv4, isIPv6 } from "node:net";

/** An event pattern that AWS would refuse as `InvalidEventPatternException`. */
export class InvalidEventPatternError extends Error {
  override readonly name = "InvalidEventPatternError";

  constructor(reason: string) {
    super(`Event pattern is not valid. Reason: ${reason}`);
  }
}

/** A value of an event as it is compared: strings in their quotes, which is how a string differs from a number. */
type Candidate = { kind: "text"; text: string } | { kind: "number"; number: number };

/** One alternative of a pattern's list. */
export interface ValueTest {
  /** Decides on a value that is there; absent for `exists: false`. */
  matches?: (candidate: Candidate) => boolean;
  /** True for `exists: false`. */
  absence?: boolean;
  /** Numbers are compared as numbers once a list holds such a test, else by their text. */
  numeric?: boolean;
}

/** A test of strings as they are compared; booleans and null are texts without quotes. */
const onText = (test: (text: string) => boolean): ValueTest => ({
  matches: (candidate) => candidate.kind === "text" && test(candidate.text),
});
const exactly = (text: string): ValueTest => onText((value) => value === `"${text}"`);
const prefix = (text: string): ValueTest => onText((value) => value.startsWith(`"${text}`));
const suffix = (text: string): ValueTest => onText((value) => value.endsWith(`${text}"`));
const matchesExpression = (expression: RegExp): ValueTest => onText((value) => expression.test(value));

/** @param number as in the pattern; it also matches other ways of writing it (`1.0`, `10e-1`) */
function equalsNumber(number: number): ValueTest {
  return {
    numeric: true,
    matches: (candidate) =>
      candidate.kind === "number" ? candidate.number === number : candidate.text === String(number),
  };
}

/** A plain string: one that is an address stands for every way of writing that address. */
function equalsString(text: string): ValueTest {
  const family = familyOf(text);
  if (family === undefined) return exactly(text);
  const addresses = new BlockList();
  addresses.addAddress(text, family);
  return addressIn(addresses);
}

/** @param block such as `10.0.0.0/8` */
function addressInBlock(block: string): ValueTest {
  const [, address = "", bits] = /^([^/]+)\/(\d+)$/.exec(block) ?? [];
  const family = familyOf(address);
  const width = family === "ipv6" ? 128 : 32;
  // A block of one address is none for AWS.
  if (family === undefined || Number(bits) >= width) return invalid(`Malformed CIDR: ${block}`);
  const addresses = new BlockList();
  addresses.addSubnet(address, Number(bits), family);
  return addressIn(addresses);
}

function addressIn(addresses: BlockList): ValueTest {
  return onText((text) => {
    const address = text.slice(1, -1);
    const family = familyOf(address);
    return family !== undefined && addresses.check(address, family);
  });
}

/** Undefined for anything that is no address. One with a zone belongs to a machine: nobody writes it in an event. */
function familyOf(text: string): "ipv4" | "ipv6" | undefined {
  if (isIPv4(text)) return "ipv4";
  return isIPv6(text) && !text.includes("%") ? "ipv6" : undefined;
}

function numberWhere(test: (number: number) => boolean): ValueTest {
  return { numeric: true, matches: (candidate) => candidate.kind === "number" && test(candidate.number) };
}

function anythingButNumbers(numbers: readonly number[]): ValueTest {
  return {
    numeric: true,
    matches: (candidate) => candidate.kind === "text" || !numbers.includes(candidate.number),
  };
}

/** Anything that none of the tests matches; a list of tests over strings lets every other kind of value through. */
function anythingBut(tests: readonly ValueTest[]): ValueTest {
  return {
    matches: (candidate) => !tests.some((test) => test.matches?.(candidate) === true),
  };
}

/** Whether a value of an event is one of the alternatives of a list. */
export function matchesAny(tests: readonly ValueTest[], value: string | number | boolean | null): boolean {
  const isNumber = typeof value === "number" && tests.some(({ numeric }) => numeric === true);
  const text = typeof value === "string" ? `"${value}"` : String(value);
  const candidate: Candidate = isNumber ? { kind: "number", number: value } : { kind: "text", text };
  return tests.some(({ matches }) => matches?.(candidate) === true);
}

/**
 * Compiles one element of a pattern's list: a plain value, or a match expression like `{"prefix": "a"}`.
 *
 * @throws {InvalidEventPatternError}
 */
export function compileValue(value: unknown): ValueTest {
  if (typeof value === "string") return equalsString(value);
  if (typeof value === "number") return equalsNumber(value);
  if (typeof value === "boolean" || value === null) return onText((text) => text === String(value));
  if (Array.isArray(value) || typeof value !== "object") {
    return invalid("Match value must be String, number, true, false, or null");
  }
  const [type, operand] = onlyField(value, "Match expression name not found");
  const compile = Object.hasOwn(expressions, type) ? expressions[type] : undefined;
  return compile === undefined ? invalid(`Unrecognized match type ${type}`) : compile(operand);
}

const expressions: Readonly<Record<string, (operand: unknown) => ValueTest>> = {
  "anything-but": compileAnythingBut,
  cidr: (operand) => addressInBlock(text(operand, "cidr")),
  "equals-ignore-case": (operand) => ignoringCase('"', text(operand, "equals-ignore-case"), '"'),
  exactly: (operand) => exactly(text(operand, "exact match")),
  exists: (operand) =>
    typeof operand !== "boolean"
      ? invalid("exists match pattern must be either true or false.")
      : operand
        ? { matches: () => true }
        : { absence: true },
  numeric: compileNumeric,
  prefix: (operand) =>
    isObject(operand)
      ? ignoringCase('"', insensitive(operand, "prefix"), "", "start")
      : prefix(text(operand, "prefix match")),
  suffix: (operand) =>
    isObject(operand)
      ? ignoringCase("", insensitive(operand, "suffix"), '"', "end")
      : suffix(text(operand, "suffix match")),
  wildcard: (operand) => wildcard(text(operand, "wildcard match")),
};

function compileAnythingBut(operand: unknown): ValueTest {
  if (isObject(operand)) {
    const [type, values] = onlyField(operand, "Anything-But expression name not found");
    const compile = Object.hasOwn(negatable, type) ? negatable[type] : undefined;
    if (compile === undefined) return invalid(`Unsupported anything-but pattern: ${type}`);
    const list = Array.isArray(values) ? values : [values];
    return list.length === 0 ? invalid("Empty arrays are not allowed") : anythingBut(list.map(compile));
  }
  const values = Array.isArray(operand) ? operand : [operand];
  if (values.length > 0 && values.every(Number.isFinite)) return anythingButNumbers(values);
  if (values.length > 0 && values.every((value) => typeof value === "string")) return anythingBut(values.map(exactly));
  return invalid("Inside anything but list, either all values are number or string, mixed type is not supported");
}

const negatable: Readonly<Record<string, (operand: unknown) => ValueTest>> = {
  "equals-ignore-case": (operand) => ignoringCase('"', text(operand, "equals-ignore-case"), '"'),
  prefix: (operand) => prefix(nonEmpty(operand)),
  suffix: (operand) => suffix(nonEmpty(operand)),
  wildcard: (operand) => wildcard(text(operand, "wildcard match")),
};

function nonEmpty(operand: unknown): string {
  return text(operand, "prefix/suffix match") || invalid("Null prefix/suffix not allowed");
}

function compileNumeric(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) return invalid("Value of numeric must be an array.");
  const [operator, bound, ...rest] = operand as unknown[];
  if (typeof operator !== "string" || !Object.hasOwn(comparisons, operator)) {
    return invalid(`Unrecognized numeric range operator: ${String(operator)}`);
  }
  const lower = comparison(operator, bound);
  if (rest.length === 0) return numberWhere(lower.test);
  const [second, limit, ...surplus] = rest;
  if (!operator.startsWith(">") || typeof second !== "string" || !second.startsWith("<") || surplus.length > 0) {
    return invalid("Too many elements in numeric expression");
  }
  const upper = comparison(second, limit);
  if (lower.bound >= upper.bound) return invalid("Bottom must be less than top");
  return numberWhere((number) => lower.test(number) && upper.test(number));
}

const comparisons: Readonly<Record<string, (number: number, bound: number) => boolean>> = {
  "<": (number, bound) => number < bound,
  "<=": (number, bound) => number <= bound,
  "=": (number, bound) => number === bound,
  ">": (number, bound) => number > bound,
  ">=": (number, bound) => number >= bound,
};

function comparison(operator: string, bound: unknown): { bound: number; test: (number: number) => boolean } {
  const compare = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (compare === undefined) return invalid(`Bad numeric range operator: ${operator}`);
  if (typeof bound !== "number" || !Number.isFinite(bound)) return invalid(`Value of ${operator} must be numeric`);
  return { bound, test: (number) => compare(number, bound) };
}

function wildcard(pattern: string): ValueTest {
  let expression = "";
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    const next = pattern.charAt(index + 1);
    if (character === "*") {
      if (next === "*") invalid(`Consecutive wildcard characters at pos ${index}`);
      expression += "[^]*";
    } else if (character === "\\") {
      if (next !== "*" && next !== "\\") invalid(`Invalid escape character at pos ${index}`);
      expression += escaped(next);
      index += 1;
    } else {
      expression += escaped(character);
    }
  }
  return matchesExpression(new RegExp(`^"${expression}"$`));
}

function ignoringCase(
  before: string,
  pattern: string,
  after: string,
  anchor: "both" | "start" | "end" = "both",
): ValueTest {
  // Letter by letter, so that a letter whose capital is two letters (ß) matches those two and no folding takes place.
  const letters = Array.from({ length: pattern.length }, (_, index) => {
    const letter = pattern.charAt(index);
    return `(?:${escaped(letter.toLowerCase())}|${escaped(letter.toUpperCase())})`;
  });
  const start = anchor === "end" ? "" : "^";
  const end = anchor === "start" ? "" : "$";
  return matchesExpression(new RegExp(`${start}${before}${letters.join("")}${after}${end}`));
}

function escaped(characters: string): string {
  return characters.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function insensitive(operand: object, where: string): string {
  const [type, value] = onlyField(operand, `${where} expression name not found`);
  return type === "equals-ignore-case" ? text(value, type) : invalid(`Unsupported ${where} pattern: ${type}`);
}

function onlyField(value: object, missing: string): [string, unknown] {
  const [first, ...more] = Object.entries(value);
  if (first === undefined) return invalid(missing);
  return more.length === 0 ? first : invalid("Only one key allowed in match expression");
}

function text(operand: unknown, what: string): string {
  return typeof operand === "string" ? operand : invalid(`${what} pattern must be a string`);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(reason: string): never {
  throw new InvalidEventPatternError(reason);
}
