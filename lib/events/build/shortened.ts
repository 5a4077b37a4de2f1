/** Most characters of any one text of a survey in an event. */
const MOST = 1_000;

/** The beginning of a long text; no character is cut in two. */
export function shortened(text: string): string {
  return text.length <= MOST ? text : text.slice(0, MOST).replace(/[\uD800-\uDBFF]$/, "");
}
