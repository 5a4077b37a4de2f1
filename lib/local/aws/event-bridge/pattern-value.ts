import { BlockList, isIPv4, isIPv6 } from "node:net";

/** An event pattern that AWS would refuse as `InvalidEventPatternException`. */
export class InvalidEventPatternError extends Error {
  override readonly name = "InvalidEventPatternError";

  constructor(reason: string) {
    super(`Event pattern is not valid. Reason: ${reason}`);
  }
}

export type Scalar = string | number | boolean | null;

/** One alternative of a pattern's list. It decides on a value, or undefined where the event has none. */
export type ValueTest = (value: Scalar | undefined) => boolean;

const is =
  (wanted: Scalar): ValueTest =>
  (value) =>
    value === wanted;
const onText =
  (test: (text: string) => boolean): ValueTest =>
  (value) =>
    typeof value === "string" && test(value);
const onNumber =
  (test: (number: number) => boolean): ValueTest =>
  (value) =>
    typeof value === "number" && test(value);
const prefix = (text: string): ValueTest => onText((value) => value.startsWith(text));
const suffix = (text: string): ValueTest => onText((value) => value.endsWith(text));
const matchesExpression = (expression: RegExp): ValueTest => onText((value) => expression.test(value));

/** A value that none of the tests matches. */
function anythingBut(tests: readonly ValueTest[]): ValueTest {
  return (value) => value !== undefined && !tests.some((test) => test(value));
}

/** A plain string: one that is an address stands for every way of writing that address. */
function equalsString(text: string): ValueTest {
  const family = familyOf(text);
  if (family === undefined) return is(text);
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
    const family = familyOf(text);
    return family !== undefined && addresses.check(text, family);
  });
}

/** Undefined for anything that is no address. One with a zone belongs to a machine: nobody writes it in an event. */
function familyOf(text: string): "ipv4" | "ipv6" | undefined {
  if (isIPv4(text)) return "ipv4";
  return isIPv6(text) && !text.includes("%") ? "ipv6" : undefined;
}

/**
 * Compiles one element of a pattern's list: a plain value, or a match expression like `{"prefix": "a"}`.
 *
 * @throws {InvalidEventPatternError}
 */
export function compileValue(value: unknown): ValueTest {
  if (typeof value === "string") return equalsString(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return is(value);
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
  "equals-ignore-case": (operand) => ignoringCase("^", text(operand, "equals-ignore-case"), "$"),
  exactly: (operand) => is(text(operand, "exact match")),
  exists: (operand) =>
    typeof operand !== "boolean"
      ? invalid("exists match pattern must be either true or false.")
      : (value) => (value !== undefined) === operand,
  numeric: compileNumeric,
  prefix: (operand) =>
    isObject(operand) ? ignoringCase("^", insensitive(operand, "prefix"), "") : prefix(text(operand, "prefix match")),
  suffix: (operand) =>
    isObject(operand) ? ignoringCase("", insensitive(operand, "suffix"), "$") : suffix(text(operand, "suffix match")),
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
  const isOfOneType = ["number", "string"].some((type) => values.every((value) => typeof value === type));
  if (values.length > 0 && isOfOneType) return anythingBut(values.map(is));
  return invalid("Inside anything but list, either all values are number or string, mixed type is not supported");
}

const negatable: Readonly<Record<string, (operand: unknown) => ValueTest>> = {
  "equals-ignore-case": (operand) => ignoringCase("^", text(operand, "equals-ignore-case"), "$"),
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
  if (rest.length === 0) return onNumber(lower.test);
  const [second, limit, ...surplus] = rest;
  if (!operator.startsWith(">") || typeof second !== "string" || !second.startsWith("<") || surplus.length > 0) {
    return invalid("Too many elements in numeric expression");
  }
  const upper = comparison(second, limit);
  if (lower.bound >= upper.bound) return invalid("Bottom must be less than top");
  return onNumber((number) => lower.test(number) && upper.test(number));
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
  return matchesExpression(new RegExp(`^${expression}$`));
}

function ignoringCase(start: "^" | "", pattern: string, end: "$" | ""): ValueTest {
  // Letter by letter, so that a letter whose capital is two letters (ß) matches those two and no folding takes place.
  const letters = Array.from({ length: pattern.length }, (_, index) => {
    const letter = pattern.charAt(index);
    return `(?:${escaped(letter.toLowerCase())}|${escaped(letter.toUpperCase())})`;
  });
  return matchesExpression(new RegExp(`${start}${letters.join("")}${end}`));
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
