import { describe, expect, it } from "vitest";
import { documents } from "./support/markdown.ts";

/** What GNU's tools or bash alone take: with those of macOS, and in its zsh, it fails or does something else. */
const ONLY_ELSEWHERE: [what: string, pattern: RegExp][] = [
  ["date -d: count from $(date +%s)", /\bdate\b[^|;)]*\s(-[a-zA-Z]*d\b|--date)/],
  ["date with nanoseconds or -I", /\bdate\b[^|;)]*(%[0-9]*N|\s-I|\s--iso-8601)/],
  ["base64 -w", /\bbase64\b[^|;)]*\s(-[a-z]*w|--wrap)/],
  ["sed -i without a suffix", /\bsed\b[^|;)]*\s(-[a-zA-Z]*i(\s|$)|--in-place)/],
  ["sed -r: -E is everywhere", /\bsed\b[^|;)]*\s-[a-z]*r\b/],
  ["readlink -f, realpath", /\breadlink\s+-[a-z]*f|\brealpath\b/],
  ["grep -P", /\bgrep\b[^|;)]*\s-[a-zA-Z]*P/],
  ["stat -c", /\bstat\b[^|;)]*\s(-c|--format|--printf)/],
  ["xargs -r, -d", /\bxargs\b[^|;)]*\s-[a-z]*[rd]\b/],
  ["head or tail with a negative count", /\bhead\s+(-n\s*|-c\s*)-\d|\bhead\b[^|;)]*--/],
  [
    "cp --, ls --color and other long flags",
    /(?:^|[;&|(]|\bdo|\bthen)\s*(?:cp|mv|rm|ls|mkdir|ln|du|df|sort|cut|tr|wc|touch|tail)\s[^|;)&]*--[a-z]/,
  ],
  ["find -printf", /\bfind\b[^|;)]*\s-(printf|regextype)/],
  ["a tool of GNU", /(?<![-\w])(sha256sum|md5sum|tac|timeout|nproc|shuf|numfmt|gawk|setsid)\b/],
  ["echo -e, -n: printf", /\becho\s+-[neE]/],
  ["a comment behind a command: zsh takes it for arguments", /\S\s+#(\s|$)/],
  ["read -p of bash, in zsh something else", /\bread\b[^|;)]*\s-[a-z]*p\b/],
  ["mapfile, readarray of bash 4", /\b(mapfile|readarray)\b/],
  ["upper and lower case by expansion, of bash 4", /\$\{\w+(,,|\^\^|@\w)/],
  ["sh's own name as a variable: zsh has it", /(^|[;&]\s*|\bread\b[^|;]*\s)(status|path)(=|\s*$)/],
];

interface Command {
  /** Where its block stands: path and line. */
  place: string;
  text: string;
}

const commands = documents.flatMap(({ fenced }) =>
  fenced
    .filter(({ language }) => language === "sh")
    .flatMap(({ place, code }) => code.split("\n").map((text): Command => ({ place, text }))),
);

/** Without what stands in single quotes, which is for another program, and without lines that are comments. */
const unquoted = (text: string): string => text.replace(/'[^']*'/g, "''").replace(/^\s*#.*/, "");

const problems = ({ place, text }: Command): string[] =>
  ONLY_ELSEWHERE.filter(([, pattern]) => pattern.test(unquoted(text))).map(([what]) => `${place}: ${what}: ${text}`);

describe("the commands of the documents", () => {
  it("run on macOS as well as on Linux", () => {
    expect(commands.length).toBeGreaterThan(50);
    expect(commands.flatMap(problems)).toEqual([]);
  });

  it.each([
    "metric --start-time $(date -u -d '-3 hours' +%FT%TZ)",
    "date --date=yesterday",
    "base64 -w0 < file",
    "sed -i s/a/b/ file",
    "sed -ri s/a/b/ file",
    "readlink -f .",
    "echo a | grep -oP b",
    "stat -c %s file",
    "ls | xargs -r rm",
    "head -n -1 file",
    "cp --reflink a b",
    "timeout 5 npm start",
    "echo -n a",
    'read -r -s -p "token: " token; echo',
    "sha256sum file",
    "npm start   # and Ctrl-C ends it",
  ])("would be refused: %s", (text) => {
    expect(problems({ place: "here", text })).not.toEqual([]);
  });

  it.each([
    "date -u +%FT%TZ",
    "echo $(($(date +%s) - 600))000",
    "sed -E s/a/b/ file",
    "sed -i.bak s/a/b/ file",
    "printf %s a | base64",
    "aws logs filter-log-events --start-time 1 --filter-pattern '{ $.message = \"date -d\" }'",
    "aws s3 rm --recursive s3://bucket/key",
    "aws sqs receive-message --visibility-timeout 0",
    "npm start -- --base-url https://surveys.example.com --ticks 1",
  ])("would be taken: %s", (text) => {
    expect(problems({ place: "here", text })).toEqual([]);
  });
});
