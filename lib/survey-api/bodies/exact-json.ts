import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";

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

export type ElementsParser = ReturnType<typeof createElementsParser>;

/** Reads the elements of a list that comes in parts, their numbers as `parseExactly` does. Nothing of an element is held that `onElement` was given. */
export function createElementsParser(onElement: (element: unknown) => void) {
  const tokenizer = new ExactTokenizer();
  const values = new TokenParser({ paths: ["$.*"], keepStack: false });
  let bounds: JsonBounds | undefined;
  tokenizer.onToken = (token) => {
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) {
      // The first one opens the list, and each element has bounds of its own.
      if (bounds === undefined) bounds = new JsonBounds();
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
    /** @throws JsonTooLargeError; any other Error when it cannot be JSON, whose message quotes the text */
    write: (piece: string): void => tokenizer.write(piece),
    /** Whether the text was whole. */
    isEnded: (): boolean => tokenizer.isEnded && values.isEnded,
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

// A few kilobytes of JSON may need far more memory than their text.

/** Levels of objects and lists within each other. What is deeper fills the memory, or the stack of whoever goes through it. */
const MOST_DEPTH = 2_000;
/** Objects and lists of one body, or of one element of a list that is read as it comes. Each takes many times the two characters that it is written with. */
const MOST_CONTAINERS = 250_000;

/** JSON that would need far more memory than its text: a few kilobytes that decompress to it would end the process, with all that it does. */
export class JsonTooLargeError extends Error {}

/** Counts the objects and lists of a JSON value while it is read. */
class JsonBounds {
  private depth = 0;
  private containers = 0;

  /** @throws JsonTooLargeError */
  open(): void {
    this.depth += 1;
    this.containers = this.depth === 1 ? 1 : this.containers + 1;
    if (this.depth > MOST_DEPTH) throw new JsonTooLargeError(`is nested deeper than ${MOST_DEPTH} levels`);
    if (this.containers > MOST_CONTAINERS)
      throw new JsonTooLargeError(`holds more than ${MOST_CONTAINERS} objects and lists`);
  }

  close(): void {
    this.depth -= 1;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** @throws JsonTooLargeError before anything of the text is made a value */
function checkBounds(text: string): void {
  if (text.length <= MOST_DEPTH) return;
  const bounds = new JsonBounds();
  let isText = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isText = !isText;
    else if (isText) i += code === BACKSLASH ? 1 : 0;
    // A brace is a bracket with this bit.
    else if ((code | 0x20) === 0x7b) bounds.open();
    else if ((code | 0x20) === 0x7d) bounds.close();
  }
}
