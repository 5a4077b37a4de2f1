import { createElementsParser, type ElementsParser } from "../bodies/exact-json.ts";
import { elements, notJson, notRead, readJson } from "../bodies/read-body.ts";
import { MOST_NESTED, saysNothing } from "../bodies/subject.ts";
import type { AboutAnswer } from "../errors.ts";
import { tooLong } from "../http/exchange.ts";
import type { BodyStream } from "../http/transport.ts";

/** The whole list may be as long as so many elements of the longest. */
const MOST_OF_LONGEST = 16;
/**
 * Most elements of one list. The results of `each` are held for all of them: short ones would fill the memory before they are long
 * together.
 */
const MOST_ELEMENTS = 250_000;

/**
 * Reads a list as it comes. Of an array one element at a time is held, and of each the result of `each`. A list in any other shape is held
 * as a whole, as `elements` reads it.
 *
 * @param most characters of one element, or of a body that is no array. All of an array may have sixteen times as many, and 250,000
 * elements. `write` and `end` throw an `UnreadableBodyError` for anything longer
 */
export function streamedList<T>(each: (element: unknown) => T, most: number): BodyStream<T[]> {
  // A service that writes another encoding is read as far as it can be, as by `Buffer.toString`.
  const decoder = new TextDecoder();
  const list: T[] = [];
  /** Whether any element says something: `[{}]` is how some services write an empty list. */
  let isTold = false;
  let parser: ElementsParser | undefined;
  /** All of a body that is no array, in parts: a text joined at each part would be copied at each. */
  const held: string[] = [];
  let isOther = false;
  let characters = 0;
  let sinceElement = 0;

  const takeElement = (value: unknown): void => {
    sinceElement = 0;
    isTold ||= !saysNothing(value, MOST_NESTED - 1);
    list.push(each(value));
  };

  const take = (text: string, about: AboutAnswer): void => {
    characters += text.length;
    sinceElement += text.length;
    let begin = 0;
    if (parser === undefined) {
      // Byte order marks before it, of which some services write several, count as white space.
      begin = isOther ? 0 : text.search(/\S/);
      isOther ||= begin >= 0 && text[begin] !== "[";
      if (isOther) held.push(text);
      if (isOther || begin < 0) return;
      parser = createElementsParser(takeElement);
    }
    try {
      parser.write(text.slice(begin));
    } catch (error) {
      throw notRead(error, about, `broken JSON, ${characters} characters`);
    }
  };

  return {
    write(chunk, about) {
      take(decoder.decode(chunk, { stream: true }), about);
      if (sinceElement > most) throw tooLong(about);
      if (characters > most * MOST_OF_LONGEST) throw tooLong(about, `${MOST_OF_LONGEST} × \`maxBodyBytes\``);
      checkCount(list, about);
    },
    end(about) {
      take(decoder.decode(), about);
      if (parser === undefined) {
        const others = elements(readJson(held.join("").trimStart(), about), about);
        checkCount(others, about);
        return others.map(each);
      }
      if (!parser.isEnded()) throw notJson(about, `broken JSON, ${characters} characters`);
      return isTold ? list : [];
    },
  };
}

function checkCount({ length }: unknown[], about: AboutAnswer): void {
  if (length > MOST_ELEMENTS) throw tooLong(about, `a list of ${MOST_ELEMENTS} elements`);
}
