import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactly } from "../../../../lib/survey-api/bodies/exact-json.ts";

/** `JSON.parse` makes 9007199254740992 of it. */
const other = "9007199254740993";

describe("JSON", () => {
  it.each<[string, unknown]>([
    [other, other],
    [`-${other}`, `-${other}`],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["9".repeat(320), "9".repeat(320)],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["-9007199254740991", Number.MIN_SAFE_INTEGER],
    ["1000000000000000", 1e15],
    ["1e20", 1e20],
    ["0.1234567890123456789", Number("0.1234567890123456789")],
    ["12345678901234567.5", Number("12345678901234567.5")],
    [`"${other}"`, other],
    [`{"${other}":1}`, { [other]: 1 }],
  ])("of %s is exact", (text, value) => {
    for (const [written, read] of [
      [text, value],
      [`[${text}]`, [value]],
      [`{"a": ${text},"b":[1,${text}]}`, { a: value, b: [1, value] }],
      [`[\n${text}\t, ${other}]`, [value, other]],
    ] as const)
      expect(parseExactly(written)).toEqual(read);
  });

  it("is exact wherever in the text the number stands", () => {
    for (let before = 0; before < 40; before += 1) {
      for (const after of [0, 1, 40]) {
        const texts = [" ".repeat(before), " ".repeat(after)];
        expect(parseExactly(texts.join(other))).toBe(other);
        expect(parseExactly(`[${texts.join(`-${other}`)},1]`)).toEqual([`-${other}`, 1]);
      }
    }
  });

  it("without such a number is as `JSON.parse` reads it", () => {
    const texts = fc.json({ stringUnit: "grapheme" }).filter((text) => !/\d{16}/.test(text));
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([`[${other}`, `[0${other}]`, `[+${other}]`, `[${other}]x`, other.replace("9", "-")])(
    "that is broken, %s, is refused",
    (text) => {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    },
  );

  it.each([
    ["2,001 lists in each other", `${"[".repeat(2_001)}${"]".repeat(2_001)}`, "is nested deeper than 2000 levels"],
    ["8 MB of objects in each other, cut off", '{"a":'.repeat(1_600_000), "is nested deeper than 2000 levels"],
    ["250,001 empty objects", `[${"{},".repeat(249_999)}{}]`, "holds more than 250000 objects and lists"],
  ])("of %s is refused before it is read, which would need far more memory", (_name, text, why) => {
    expect(() => parseExactly(text)).toThrow(why);
  });

  it("of brackets within texts is none of that", () => {
    const texts = ["[{".repeat(200_000), '"[\\"{'.repeat(3_000)];
    expect(parseExactly(JSON.stringify(texts))).toEqual(texts);
  });
});
