const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
/** Control and format characters, which nobody sees. Two of the latter belong to words of some scripts, and to emoji. */
const STEERS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** Text that others have written, as it may be shown: it breaks no line, turns no other text round, and steers no terminal. */
export function printable(text: string): string {
  return text.replaceAll(BREAKS, " ").replaceAll(STEERS, "\ufffd");
}

const ESCAPE = "\u001b[";

/** The same of a line with colours in it. */
export function printableLine(line: string): string {
  const [first = "", ...others] = line.split(ESCAPE);
  const rest = others.map((part) => {
    const colour = /^[\d;]*m/.exec(part)?.[0];
    return colour === undefined ? printable(ESCAPE + part) : ESCAPE + colour + printable(part.slice(colour.length));
  });
  return [printable(first), ...rest].join("");
}

/** JSON that says the same without any such character. */
export function printableJson(json: string): string {
  const escaped = (text: string): string =>
    Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  return json.replaceAll(BREAKS, escaped).replaceAll(STEERS, escaped);
}

/** As much of a text as so many columns hold. */
export function cut(text: string, most: number): string {
  const signs = Array.from(text);
  return signs.length <= most ? text : `${signs.slice(0, Math.max(0, most - 1)).join("")}…`;
}

const LONGEST_NAME = 60;

const NO_NAME = "(no name)";

/** The name of a survey alone, where its id stands beside it. */
export function nameShown(name: string | null): string {
  return cut(printable(name ?? "").trim(), LONGEST_NAME) || NO_NAME;
}

/** A survey for people: "Onboarding (103)", or "(no name) 103". */
export function surveyName({ surveyId, name }: { surveyId: number; name: string | null }): string {
  const shown = nameShown(name);
  return shown === NO_NAME ? `${NO_NAME} ${surveyId}` : `${shown} (${surveyId})`;
}
