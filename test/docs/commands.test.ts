import { describe, expect, it } from "vitest";
import { commandProblem } from "./support/known-commands.ts";
import { documents } from "./support/markdown.ts";
import { simpleCommands } from "./support/shell.ts";

const blocks = documents.flatMap(({ fenced }) => {
  const shell = fenced.filter(({ language }) => language === "sh");
  const functions = new Set(
    shell.flatMap(({ code }) => [...code.matchAll(/^(\w+)\(\)/gm)].map(([, name]) => name ?? "")),
  );
  return shell.map((block) => ({ ...block, functions }));
});

async function problemsOf(code: string, functions: ReadonlySet<string> = new Set()): Promise<string[]> {
  const commands = simpleCommands(code);
  const found = await Promise.all(commands.map((words) => commandProblem(words, functions)));
  return found.flatMap((problem, i) => (problem === undefined ? [] : [`${commands[i]?.join(" ")}: ${problem}`]));
}

describe("the commands of the documents", () => {
  it("are found", () => expect(blocks.length).toBeGreaterThan(30));

  it.each(blocks)("$place: every command is one that there is", async ({ code, functions }) => {
    expect(await problemsOf(code, functions)).toEqual([]);
  });

  it.each([
    "npm run nothing",
    "npm start -- --tick 1",
    "npm start --ticks 1",
    "npx survey-poller statuss",
    "npx survey-poller status --stak SurveyPoller",
    "npx quicktype --lang go",
    "npx cdk deplay",
    "npx cdk deploy --config x",
    "npx node examples/nothing.ts",
    "aws sqs receive-massage --queue-url x",
    "aws sqs receive-message --queue-uri x",
    "echo $(npm run nothing)",
    "frobnicate",
  ])("would be refused: %s", async (text) => {
    expect(await problemsOf(text)).not.toEqual([]);
  });
});

/** What GNU's tools or bash alone take, with a command that has it: with those of macOS, and in its zsh, it fails or does something else. */
const ONLY_ELSEWHERE: [what: string, pattern: RegExp, command: string][] = [
  ["count from $(date +%s)", /\bdate\b[^|;)]*\s(-[a-zA-Z]*d\b|--date)/, "$(date -u -d '-3 hours' +%FT%TZ)"],
  ["date with nanoseconds or -I", /\bdate\b[^|;)]*(%[0-9]*N|\s-I|\s--iso-8601)/, "date -Is"],
  ["base64 -w", /\bbase64\b[^|;)]*\s(-[a-z]*w|--wrap)/, "base64 -w0 < file"],
  ["sed -i without a suffix", /\bsed\b[^|;)]*\s(-[a-zA-Z]*i(\s|$)|--in-place)/, "sed -i s/a/b/ file"],
  ["sed -r: -E is everywhere", /\bsed\b[^|;)]*\s-[a-z]*r\b/, "sed -r s/a/b/ file"],
  ["readlink -f, realpath", /\breadlink\s+-[a-z]*f|\brealpath\b/, "readlink -f ."],
  ["grep -P", /\bgrep\b[^|;)]*\s-[a-zA-Z]*P/, "echo a | grep -oP b"],
  ["stat -c", /\bstat\b[^|;)]*\s(-c|--format|--printf)/, "stat -c %s file"],
  ["xargs -r, -d", /\bxargs\b[^|;)]*\s-[a-z]*[rd]\b/, "ls | xargs -r rm"],
  ["a negative count", /\bhead\s+(-n\s*|-c\s*)-\d|\bhead\b[^|;)]*--/, "head -n -1 file"],
  [
    "cp --, ls --color and other long flags",
    /(?:^|[;&|(]|\bdo|\bthen)\s*(?:cp|mv|rm|ls|mkdir|ln|du|df|sort|cut|tr|wc|touch|tail)\s[^|;)&]*--[a-z]/,
    "cp --reflink a b",
  ],
  ["find -printf", /\bfind\b[^|;)]*\s-(printf|regextype)/, "find . -printf %s"],
  ["a tool of GNU", /(?<![-\w])(sha256sum|md5sum|tac|timeout|nproc|shuf|numfmt|gawk|setsid)\b/, "timeout 5 npm start"],
  ["echo -e, -n: printf", /\becho\s+-[neE]/, "echo -n a"],
  ["a comment behind a command: zsh takes it for arguments", /\S\s+#(\s|$)/, "npm start   # and Ctrl-C ends it"],
  ["read -p of bash, in zsh something else", /\bread\b[^|;)]*\s-[a-z]*p\b/, 'read -r -s -p "token: " token'],
  ["mapfile, readarray of bash 4", /\b(mapfile|readarray)\b/, "mapfile lines"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
  ["upper and lower case by expansion, of bash 4", /\$\{\w+(,,|\^\^|@\w)/, "echo ${name,,}"],
  ["sh's own name as a variable: zsh has it", /(^|[;&]\s*|\bread\b[^|;]*\s)(status|path)(=|\s*$)/, "path=a"],
];

/** Without what stands in single quotes, which is for another program, and without lines that are comments. */
const unquoted = (text: string): string => text.replace(/'[^']*'/g, "''").replace(/^\s*#.*/, "");

describe("on macOS as well as on Linux", () => {
  it.each(ONLY_ELSEWHERE)("no command of a document has %s", (_what, pattern, command) => {
    expect(unquoted(command)).toMatch(pattern);
    const found = blocks.flatMap(({ place, code }) => code.split("\n").map((text) => `${place}: ${unquoted(text)}`));
    expect(found.filter((line) => pattern.test(line.replace(/^\S+: /, "")))).toEqual([]);
  });
});
