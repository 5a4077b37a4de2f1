import { FOREVER } from "../state/keys.ts";

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
/** Control and format characters, which nobody sees. Two of the latter belong to words of some scripts, and to emoji. */
const STEERS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** Text that others have written, as it may be shown: it breaks no line, turns no other text round, and steers no terminal. */
function printable(text: string): string {
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

function cut(text: string, most: number): string {
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

export function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The poller that a command line is for, as its flags name it; and one source and survey of it. */
interface Meant {
  flags: string;
  source?: string;
  surveyId?: number | "N";
}

/** The command line to run next: "survey-poller audit --survey 7 --source main --now --yes --data .survey-poller". */
export function nextCommand(verb: string, { flags, source, surveyId }: Meant, more = ""): string {
  const survey = surveyId === undefined ? "" : `--survey ${surveyId}`;
  const of = source === undefined ? "" : `--source ${source}`;
  return ["survey-poller", verb, survey, of, more, flags].filter(Boolean).join(" ");
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A time span in its largest fitting unit: "12 s", "3 min", "2 h", "5 d". Of 7,300,000 ms it is "2 h". */
export function span(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, least]) => milliseconds >= least) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`;
}

/** "12 s ago", or "never". */
export function ago(at: number | null | undefined, now: number): string {
  return at === undefined || at === null || at <= 0 ? "never" : `${span(now - at)} ago`;
}

/** "2026-03-10 12:00:00 UTC". */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** "2026-03-10", in UTC. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Hour, minute and second in UTC: "14:01:10". */
export function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** "Paused since … by an operator: source main", with its end where it has one; or that the service asks for it. Epoch milliseconds. */
export function whyPaused(
  source: string,
  { pausedSince, pausedUntil }: { pausedSince?: number | null; pausedUntil: number },
): string {
  return pausedSince == null
    ? `Late: the service of ${source} asks to be left alone until ${utc(pausedUntil)}`
    : `Paused since ${utc(pausedSince)} by an operator: source ${source}${pauseEnd(pausedUntil)}`;
}

/** The end of an operator's pause, where it has one: " until 2026-03-10 14:00:00 UTC", or "". */
export function pauseEnd(until: number | null): string {
  return until === null || until >= FOREVER ? "" : ` until ${utc(until)}`;
}

export const figure = (number: number): string => number.toLocaleString("en-US");

/** "1 survey", "2 surveys", "1,234 surveys". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${figure(number)} ${number === 1 ? one : many}`;
}

/** As many of these ids as one reads: "101, 102, …". */
export function named(ids: readonly (number | string)[], most = 20): string {
  return [...ids.slice(0, most), ...(ids.length > most ? ["…"] : [])].join(", ");
}

const GAP = "  ";
const NARROWEST = 12;

/**
 * Lines of a table whose columns are as wide as they need to be. Cells that begin with a digit stand at the right.
 *
 * @param width of the terminal: the widest column is cut first, and then the lines
 */
export function columns(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string[] {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), []);
  const beyond = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) - width;
  const widest = widths.indexOf(Math.max(...widths));
  if (beyond > 0) widths[widest] = Math.max(NARROWEST, (widths[widest] ?? 0) - beyond);
  const padded = (cell: string, most = 0): string =>
    /^\d/.test(cell) ? cut(cell, most).padStart(most) : cut(cell, most).padEnd(most);
  const lines = rows.map((row) => row.map((cell, i) => padded(cell, widths[i])).join(GAP));
  return lines.map((line) => cut(line.trimEnd(), width));
}
