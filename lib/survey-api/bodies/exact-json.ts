import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { checkBounds, createJsonBounds, type JsonBounds } from "./json-bounds.ts";

// A number of JavaScript is exact up to 2^53: of two greater ids `JSON.parse` makes one, and with it one response of two.

/**
 * The value of a JSON text. An integer beyond `Number.MAX_SAFE_INTEGER` that is written in digits comes as the text of these, as if it were
 * in quotes. Any other number is a number.
 *
 * @throws SyntaxError when it is no JSON; its message quotes the text
 * @throws JsonTooLargeError
 */
export function parseExactly(text: string): unknown {
  checkBounds(text);
  return hasLongNumber(text) ? JSON.parse(text, exactValue) : JSON.parse(text);
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

export interface ExactParser {
  /** @throws JsonTooLargeError; any other Error when it cannot be JSON, whose message quotes the text */
  write(piece: string): void;
  /** Whether the text was whole. */
  isEnded(): boolean;
}

/** Reads the elements of a list that comes in parts, their numbers as `parseExactly` does. Nothing of an element is held that `onElement` was given. */
export function createElementsParser(onElement: (element: unknown) => void): ExactParser {
  const tokenizer = new ExactTokenizer();
  const values = new TokenParser({ paths: ["$.*"], keepStack: false });
  let bounds: JsonBounds | undefined;
  tokenizer.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) {
      // The first one opens the list, and each element has bounds of its own.
      if (bounds === undefined) bounds = createJsonBounds();
      else bounds.open();
    } else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) bounds?.close();
    values.write(token);
  };
  tokenizer.onEnd = () => {
    if (!values.isEnded) values.end();
  };
  values.onError = (error) => tokenizer.error(error);
  values.onEnd = () => {
    if (!tokenizer.isEnded) tokenizer.end();
  };
  values.onValue = ({ value }) => onElement(value);
  return {
    write: (piece) => tokenizer.write(piece),
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
