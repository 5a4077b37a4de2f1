/** Levels of objects and lists within each other. What is deeper fills the memory, or the stack of whoever goes through it. */
const MOST_DEPTH = 2_000;
/** Objects and lists of one body, or of one element of a list that is read as it comes. Each takes many times the two characters that it is written with. */
const MOST_CONTAINERS = 250_000;

/** JSON that would need far more memory than its text: a few kilobytes that decompress to it would end the process, with all that it does. */
export class JsonTooLargeError extends Error {}

/** Counts the objects and lists of a JSON value while it is read. */
export interface JsonBounds {
  /** @throws JsonTooLargeError */
  open(): void;
  close(): void;
}

export function createJsonBounds(): JsonBounds {
  let depth = 0;
  let containers = 0;
  return {
    open() {
      depth += 1;
      containers = depth === 1 ? 1 : containers + 1;
      if (depth > MOST_DEPTH) throw new JsonTooLargeError(`is nested deeper than ${MOST_DEPTH} levels`);
      if (containers > MOST_CONTAINERS)
        throw new JsonTooLargeError(`holds more than ${MOST_CONTAINERS} objects and lists`);
    },
    close() {
      depth -= 1;
    },
  };
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** @throws JsonTooLargeError before anything of the text is made a value */
export function checkBounds(text: string): void {
  if (text.length <= MOST_DEPTH) return;
  const bounds = createJsonBounds();
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
