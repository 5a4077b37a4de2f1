import { InvalidEventPatternError } from "./invalid-pattern.ts";
import { cidrRange, type IpRange, inIpRange, ipDigits } from "./ip-address.ts";

/** A value of an event as it is compared: strings in their quotes, which is how a string differs from a number. */
export type Candidate =
  | { kind: "text"; text: string }
  | { kind: "number"; number: number }
  | { kind: "address"; text: string };

/** One alternative of a pattern's list. */
export interface ValueTest {
  /** Decides on a value that is there; absent for `exists: false`. */
  matches?: (candidate: Candidate) => boolean;
  /** True for `exists: false`. */
  absence?: boolean;
  /** Numbers are compared as numbers once a list holds such a test, else by their text. */
  numeric?: boolean;
  /** Values that are addresses are compared as addresses too once a list holds such a test. */
  address?: boolean;
}

const quoted = (text: string) => `"${text}"`;
const textOf = (candidate: Candidate) => (candidate.kind === "number" ? undefined : candidate.text);

/** @param number as in the pattern; it also matches other ways of writing it (`1.0`, `10e-1`) */
export function equalsNumber(number: number): ValueTest {
  return {
    numeric: true,
    matches: (candidate) =>
      candidate.kind === "number" ? candidate.number === number : candidate.text === String(number),
  };
}

export function equalsLiteral(literal: boolean | null): ValueTest {
  return { matches: (candidate) => textOf(candidate) === String(literal) };
}

/** A plain string: one that is an address stands for every way of writing that address. */
export function equalsString(text: string): ValueTest {
  const digits = ipDigits(text);
  if (digits === undefined) return exactly(text);
  return addressIn({ bottom: digits, top: digits });
}

export function exactly(text: string): ValueTest {
  const wanted = quoted(text);
  return { matches: (candidate) => textOf(candidate) === wanted };
}

export function exists(wanted: boolean): ValueTest {
  return wanted ? { matches: () => true } : { absence: true };
}

export function prefix(text: string): ValueTest {
  const start = `"${text}`;
  return { matches: (candidate) => textOf(candidate)?.startsWith(start) === true };
}

export function suffix(text: string): ValueTest {
  const end = `${text}"`;
  return { matches: (candidate) => textOf(candidate)?.endsWith(end) === true };
}

export function addressInBlock(block: string): ValueTest {
  const range = cidrRange(block);
  if (typeof range === "string") throw new InvalidEventPatternError(range);
  return addressIn(range);
}

function addressIn(range: IpRange): ValueTest {
  return { address: true, matches: (candidate) => candidate.kind !== "number" && inIpRange(candidate.text, range) };
}

export function matchesExpression(expression: RegExp): ValueTest {
  return {
    matches: (candidate) => {
      const text = textOf(candidate);
      return text !== undefined && expression.test(text);
    },
  };
}

export function numberWhere(test: (number: number) => boolean): ValueTest {
  return { numeric: true, matches: (candidate) => candidate.kind === "number" && test(candidate.number) };
}

export function anythingButNumbers(numbers: readonly number[]): ValueTest {
  return {
    numeric: true,
    matches: (candidate) =>
      candidate.kind === "text" || (candidate.kind === "number" && !numbers.includes(candidate.number)),
  };
}

/** Anything that none of the tests matches; a list of tests over strings lets every other kind of value through. */
export function anythingBut(tests: readonly ValueTest[]): ValueTest {
  return {
    matches: (candidate) => candidate.kind !== "address" && !tests.some((test) => test.matches?.(candidate) === true),
  };
}

/** The forms in which a value of an event is put to the tests of one list. */
export function candidatesOf(value: string | number | boolean | null, tests: readonly ValueTest[]): Candidate[] {
  const text = typeof value === "string" ? quoted(value) : String(value);
  const candidates: Candidate[] = [];
  if (tests.some(({ address }) => address === true)) {
    const digits = ipDigits(String(value));
    if (digits !== undefined) candidates.push({ kind: "address", text: digits });
  }
  if (typeof value === "number" && tests.some(({ numeric }) => numeric === true)) {
    candidates.push({ kind: "number", number: value });
  } else {
    candidates.push({ kind: "text", text });
  }
  return candidates;
}
