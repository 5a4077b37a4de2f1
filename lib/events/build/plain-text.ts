import { Parser } from "htmlparser2";

const words = (names: string): string[] => names.split(" ");
/** Elements within a line: what stands before and behind their tags belongs together. */
const inline = words("a abbr b bdi bdo cite code em font i ins kbd mark o:p q s small span strong sub sup u var wbr");
const others = words(
  "address article aside blockquote body br button caption center col colgroup dd del details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe img input label legend li link main meta nav object ol option p picture pre script section select source style summary svg table tbody td template textarea tfoot th thead title tr ul video",
);
/** Elements whose text is not for readers. */
const HIDDEN = new Set(["script", "style", "template"]);
const INLINE = new Set(inline);
/** A "<" that begins no tag: texts need not be HTML, and "A<B" is no element. */
const NO_TAG = new RegExp(`<(?!!--|/?(?:${[...inline, ...others].join("|")})(?:\\s[^<]*)?/?>)`, "gi");
/** Tags that are looked at: what is nested deep takes time that grows with its square. A picture within a tag may be of any length. */
const MOST_TAGS = 3_000;

/** The text that a reader sees where it may be HTML: no tags, entities decoded, each stretch of white space one space. */
export function plainText(given: string): string {
  const html = given.split("<", MOST_TAGS).join("<");
  if (!/[<&]/.test(html)) return oneLine(html);
  let text = "";
  let hidden = 0;
  const parser = new Parser({
    ontext(data) {
      if (hidden === 0) text += data;
    },
    onopentag(name, { alt }) {
      if (HIDDEN.has(name)) hidden += 1;
      if (!INLINE.has(name)) text += ` ${alt ?? ""} `;
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden -= 1;
      if (!INLINE.has(name)) text += " ";
    },
  });
  parser.end(html.replace(NO_TAG, "&lt;"));
  return oneLine(text);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
