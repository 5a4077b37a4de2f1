import { Tokenizer, TokenParser } from "@streamparser/json";

// A number of JavaScript is exact up to 2^53: of two greater ids `JSON.parse` makes one, and with it one response of two.

/**
 * The value of a JSON text. An integer beyond `Number.MAX_SAFE_INTEGER` that is written in digits comes as the text of these, as if it were
 * in quotes. Any other number is a number.
 *
 * @throws SyntaxError when it is no JSON; its message quotes the text
 */
export function parseExactly(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, exactValue);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Nested thousands deep, which is read as well: but what goes through it all once more is the call stack.
    return parsePiecewise(text);
  }
}

/** Digits of the shortest integer that is not safe: without so many in a row nothing has to be looked at twice. */
const LONG = 16;

/** So many digits in a row have one at a place that is looked at, wherever they begin. */
function hasLongNumber(text: string): boolean {
  for (let i = LONG - 1; i < text.length; i += LONG) {
    if (!isDigit(text, i)) continue;
    let [first, last] = [i, i];
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first >= LONG - 1) return true;
  }
  return false;
}

function isDigit(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  return code >= 48 && code <= 57;
}

/** The types of TypeScript do not know `context` yet. */
function exactValue(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === "number" && context !== undefined ? exactly(value, context.source) : value;
}

function parsePiecewise(text: string): unknown {
  let found: unknown;
  const parser = createExactParser({ paths: ["$"] }, (value) => {
    found = value;
  });
  parser.write(text);
  // A number that is all of the text ends with nothing else.
  if (!parser.isEnded()) parser.end();
  return found;
}

export interface ExactParser {
  /** @throws Error when it cannot be JSON; its message quotes the text */
  write(piece: string): void;
  end(): void;
  /** Whether the text was whole. */
  isEnded(): boolean;
}

/** Reads JSON that comes in parts, its numbers as `parseExactly` does. `onValue` is given each value at one of the `paths`. */
export function createExactParser(
  options: { paths: string[]; keepStack?: boolean },
  onValue: (value: unknown) => void,
): ExactParser {
  const tokenizer = new ExactTokenizer();
  const values = new TokenParser(options);
  tokenizer.onToken = (token) => values.write(token);
  tokenizer.onEnd = () => {
    if (!values.isEnded) values.end();
  };
  values.onError = (error) => tokenizer.error(error);
  values.onEnd = () => {
    if (!tokenizer.isEnded) tokenizer.end();
  };
  values.onValue = ({ value }) => onValue(value);
  return {
    write: (piece) => tokenizer.write(piece),
    end: () => tokenizer.end(),
    isEnded: () => tokenizer.isEnded && values.isEnded,
  };
}

class ExactTokenizer extends Tokenizer {
  protected override parseNumber(source: string): number {
    // Its type knows of no text, which the parser of values passes on all the same.
    return exactly(Number(source), source) as number;
  }
}

function exactly(value: number, source: string): number | string {
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value : source;
}
