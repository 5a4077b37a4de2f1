import { basename } from "node:path";

/** The command as it is found in a checkout and beside a package that depends on it. */
export const BY_NPX = "npx survey-poller";

/** How this process was called, given the path of its program: by its bare name alone where it is installed for all folders. */
export function nameOf(program = ""): string {
  const isInstalled = basename(program) === "survey-poller" && !program.includes("node_modules");
  return isInstalled ? "survey-poller" : BY_NPX;
}

const VERBS =
  "audit|backfill|console|credentials|doctor|explain|forget|init|listen|pause|quarantine|resend|resume|status|tail|trigger|verify";
/** No value of a flag, no path, and nothing that is called as it should be. */
const COMMAND = new RegExp(`(?<![\\w./@-])(?<!npx )(?<!--[a-z-]+ )survey-poller (?=(?:${VERBS}|--help)\\b)`, "g");

/** A text whose command lines can be typed as they stand. */
export function asCalled(text: string, name: string): string {
  return text.replaceAll(COMMAND, `${name} `);
}

/** Fields of answers that hold command lines, or sentences with one. */
const FIELDS = new Set(["next", "hint", "todo", "command"]);

export function answerAsCalled<Data extends object>(data: Data, name: string): Data {
  return JSON.parse(
    JSON.stringify(data, (key, value: unknown) =>
      typeof value === "string" && FIELDS.has(key) ? asCalled(value, name) : value,
    ),
  ) as Data;
}
