import { isIP } from "node:net";
import { nearestName } from "../../lib/config/edit-distance.ts";
import { isObject } from "../../lib/config/shape.ts";
import type { Kind, Shape } from "./detail-shape.ts";

/** EventBridge compares numbers within ±5,000,000,000 only. */
const LARGEST = 5e9;

interface Operator {
  /** Types that it can tell anything of. */
  kinds: readonly Kind[];
  /** The rule that its operand breaks, if any. */
  problem: (operand: unknown) => string | undefined;
}

const anyKind = ["string", "number", "boolean", "null"] as const;

const operators: Readonly<Record<string, Operator>> = {
  exists: { kinds: anyKind, problem: (operand) => unless(typeof operand === "boolean", "must be true or false") },
  prefix: { kinds: ["string"], problem: textOrIgnoringCase },
  suffix: { kinds: ["string"], problem: textOrIgnoringCase },
  "equals-ignore-case": { kinds: ["string"], problem: text },
  wildcard: { kinds: ["string"], problem: wildcard },
  cidr: { kinds: ["string"], problem: cidr },
  numeric: { kinds: ["number"], problem: numeric },
  "anything-but": { kinds: ["string", "number"], problem: anythingBut },
};

/** The fault of one alternative, for a place of this shape. It never repeats a value: one could be personal data. */
export function valueTestProblem(test: unknown, { kinds, texts, open }: Shape): string | undefined {
  if (Array.isArray(test)) return "must be a value or an operator, not a list";
  if (isObject(test)) return operatorProblem(test, open ? new Set(anyKind) : kinds);
  const kind = test === null ? "null" : typeof test;
  if (open)
    return unless(
      anyKind.some((known) => known === kind),
      "must be a JSON value",
    );
  if (!kinds.has(kind as Kind)) return `can never match: the event has ${listed(kinds)} here`;
  return unless(
    texts.length === 0 || texts.includes(String(test)),
    `can never match: the event has one of ${texts.join(", ")} here`,
  );
}

function operatorProblem(test: Record<string, unknown>, kinds: ReadonlySet<Kind>): string | undefined {
  const [name, ...more] = Object.keys(test);
  if (name === undefined || more.length > 0) return 'must be one operator, such as { "prefix": "pl" }';
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined) {
    const nearest = nearestName(name, Object.keys(operators));
    return nearest === undefined
      ? `must be one of the operators ${Object.keys(operators).join(", ")}`
      : `unknown operator, did you mean "${nearest}"?`;
  }
  if (!operator.kinds.some((kind) => kinds.has(kind)))
    return `"${name}" can never match: the event has ${listed(kinds)} here`;
  const problem = operator.problem(test[name]);
  return problem === undefined ? undefined : `"${name}" ${problem}`;
}

function text(operand: unknown): string | undefined {
  return unless(typeof operand === "string", "must be a text");
}

function textOrIgnoringCase(operand: unknown): string | undefined {
  if (!isObject(operand)) return text(operand);
  const names = Object.keys(operand);
  if (names.length !== 1 || names[0] !== "equals-ignore-case")
    return 'must be a text or { "equals-ignore-case": text }';
  return text(operand["equals-ignore-case"]);
}

function wildcard(operand: unknown): string | undefined {
  if (typeof operand !== "string") return "must be a text";
  if (/(?<!\\)(?:\\\\)*\*\*/.test(operand)) return "must not hold two * in a row";
  return unless(/^(?:[^\\]|\\[*\\])*$/.test(operand), "may hold a \\ only before * or another \\");
}

function cidr(operand: unknown): string | undefined {
  const [address = "", bits = "", ...more] = typeof operand === "string" ? operand.split("/") : [];
  const longest = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isBlock = /^\d{1,3}$/.test(bits) && Number(bits) <= longest && more.length === 0;
  return unless(isBlock, 'must be a block of addresses such as "10.0.0.0/24"');
}

function numeric(operand: unknown): string | undefined {
  const message = 'must be a comparison such as ["<=", 6] or a range such as [">=", 0, "<=", 6]';
  if (!Array.isArray(operand)) return message;
  const [first, bound, second, limit, ...more] = operand as unknown[];
  if (!["<", "<=", "=", ">=", ">"].some((sign) => sign === first) || !isComparable(bound)) return message;
  if (operand.length === 2) return undefined;
  const isRange = (first === ">" || first === ">=") && (second === "<" || second === "<=") && isComparable(limit);
  return unless(isRange && more.length === 0 && bound < limit, message);
}

function anythingBut(operand: unknown): string | undefined {
  if (isObject(operand)) {
    const [name = "", ...more] = Object.keys(operand);
    // What begins with nothing is everything: EventBridge refuses to exclude it.
    const filled = (value: unknown) =>
      unless(typeof value === "string" && value !== "", "must be a text that is not empty");
    const check = name === "wildcard" ? wildcard : name === "equals-ignore-case" ? text : filled;
    if (more.length > 0 || !["prefix", "suffix", "equals-ignore-case", "wildcard"].includes(name)) {
      return "takes values, or one of prefix, suffix, equals-ignore-case and wildcard";
    }
    const values = [operand[name]].flat();
    return values.length === 0 ? "must hold at least one text" : values.map(check).find((found) => found !== undefined);
  }
  const values = [operand].flat();
  const isOfOneKind = ["string", "number"].some((kind) => values.every((value) => typeof value === kind));
  return unless(values.length > 0 && isOfOneKind, "must hold texts only or numbers only");
}

function isComparable(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= LARGEST;
}

function listed(kinds: ReadonlySet<Kind>): string {
  const names = { string: "text", number: "a number", boolean: "true or false", null: "null" };
  return [...kinds].map((kind) => names[kind]).join(" or ");
}

function unless(isRight: boolean, problem: string): string | undefined {
  return isRight ? undefined : problem;
}
