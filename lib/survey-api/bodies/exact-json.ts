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
  if (typeof value !== "number" || context === undefined) return value;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source) ? value : context.source;
}

// A few kilobytes of JSON may need far more memory than their text.

/** Levels of objects and lists within each other. What is deeper fills the memory, or the stack of whoever goes through it. */
const MOST_DEPTH = 2_000;
/** Objects and lists of one body. Each takes many times the two characters that it is written with. */
const MOST_CONTAINERS = 250_000;

/** JSON that would need far more memory than its text: a few kilobytes that decompress to it would end the process, with all that it does. */
export class JsonTooLargeError extends Error {}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** @throws JsonTooLargeError before anything of the text is made a value */
function checkBounds(text: string): void {
  if (text.length <= MOST_DEPTH) return;
  let [depth, containers] = [0, 0];
  let isText = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isText = !isText;
    else if (isText) i += code === BACKSLASH ? 1 : 0;
    // A brace is a bracket with this bit.
    else if ((code | 0x20) === 0x7d) depth -= 1;
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > MOST_DEPTH) throw new JsonTooLargeError(`is nested deeper than ${MOST_DEPTH} levels`);
      if (containers > MOST_CONTAINERS)
        throw new JsonTooLargeError(`holds more than ${MOST_CONTAINERS} objects and lists`);
    }
  }
}
