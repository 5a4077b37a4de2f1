import { createExactParser, type ExactParser } from "./exact-json.ts";
import { LongBody } from "./exchange.ts";
import { elements, notJson, readJson } from "./read-body.ts";
import type { BodyStream } from "./transport.ts";

/**
 * Reads a list as it comes: of an array one element at a time is held, and of each what `each` makes of it. A list in any other shape is
 * held as a whole, as `elements` reads it.
 *
 * @param most bytes of one element, or of a body that is no array
 */
export function streamedList<T>(each: (element: unknown) => T, most: number): BodyStream<T[]> {
  // A service that writes another encoding is read as far as it can be, as by `Buffer.toString`.
  const decoder = new TextDecoder();
  const list: T[] = [];
  let parser: ExactParser | undefined;
  /** What came before it was known to be an array, or all of it where it is none. In pieces: joined at each it would be copied at each. */
  let held: string[] = [];
  let isOther = false;
  let characters = 0;
  let sinceElement = 0;

  const createParser = (): ExactParser =>
    createExactParser({ paths: ["$.*"], keepStack: false }, (value) => {
      sinceElement = 0;
      list.push(each(value));
    });

  const take = (text: string, about: Parameters<BodyStream<T[]>["write"]>[1]): void => {
    characters += text.length;
    sinceElement += text.length;
    let pieces = [text];
    if (parser === undefined) {
      held.push(text);
      const first = isOther ? undefined : /[^ \t\r\n]/.exec(text)?.[0];
      isOther ||= first !== undefined && first !== "[";
      if (first !== "[") return;
      parser = createParser();
      pieces = held;
      held = [];
    }
    try {
      for (const piece of pieces) parser.write(piece);
    } catch {
      // Its message quotes the text.
      throw notJson(about, `broken JSON, ${characters} characters`);
    }
  };

  return {
    write(chunk, about) {
      take(decoder.decode(chunk, { stream: true }), about);
      if (sinceElement > most) throw new LongBody(about.status);
    },
    end(about) {
      take(decoder.decode(), about);
      if (parser === undefined) return elements(readJson(held.join(""), about), about).map(each);
      if (!parser.isEnded()) throw notJson(about, `broken JSON, ${characters} characters`);
      return list;
    },
  };
}
