import { describe, expect, it } from "vitest";
import { plainText } from "../../../../lib/events/build/plain-text.ts";

describe("the plain text", () => {
  it.each([
    ["How was it?", "How was it?"],
    ["  How\n\twas   it? ", "How was it?"],
    ["<p>How was <b>it</b>?</p>", "How was it?"],
    ["<p>One</p><p>Two</p>", "One Two"],
    ["one<br>two<br/>three", "one two three"],
    ["<ul><li>red</li><li>blue</li></ul>", "red blue"],
    ["half<i>way</i>", "halfway"],
    ["Fish &amp; chips&nbsp;&lt;3 &#8364; &eacute;", "Fish & chips <3 € é"],
    ["a < b and 5<6", "a < b and 5<6"],
    ["A<B or C", "A<B or C"],
    ["Less <USD 50k per year", "Less <USD 50k per year"],
    ["<none of these>", "<none of these>"],
    ["foo<wbr>bar", "foobar"],
    ['<img src="yes.png" alt="Yes">', "Yes"],
    ["a <B CLASS=x>bold</B> word", "a bold word"],
    ["AT&T", "AT&T"],
    ["<script>alert('x')</script>safe<style>p{}</style>", "safe"],
    ["<img src=x onerror=alert(1)>picture", "picture"],
    ["<b>never closed", "never closed"],
    ["<!-- a note -->shown", "shown"],
    ["", ""],
  ])("of %j is %j", (html, text) => {
    expect(plainText(html)).toBe(text);
  });

  it("is that beside a picture which stands in the text itself, however large", () => {
    const picture = `<img alt="A cup" src="data:image/png;base64,${"iVBORw0KGgo".repeat(100_000)}">`;
    expect(plainText(`<p>How was ${picture} it?</p>`)).toBe("How was A cup it?");
    expect(plainText(`<p style="background: url('data:image/png;base64,${"AAAA".repeat(5_000)}')">Why?</p>`)).toBe(
      "Why?",
    );
  });

  it("of a text that nests without end is read in no time", () => {
    const before = performance.now();
    plainText("<div>".repeat(200_000) + "</p>".repeat(200_000));
    plainText("<".repeat(1_000_000));
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
