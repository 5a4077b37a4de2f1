import { expect } from "vitest";
import type { CommandResult } from "../../support/command.ts";

/** Every kind of line that a command may write while something is wrong and it goes on. */
const LINES = [
  /^polling /,
  /^\d+ surveys, \d+ pages, /,
  /^the survey service limits the rate: /,
  /^survey \d+: .+ \([A-Z][A-Z0-9_]+\); tried again at the next tick$/,
  /^tick failed: .+; tried again at the next tick$/,
  /^done: \d+ ticks in /,
  /^survey \d+: \d+ emitted; books: (closed at|not closed yet:) /,
];
const UNCLEAR = /unexpected|undefined|\[object|^\s+at |\.[mc]?[jt]s:\d+|node:internal|\$metadata/;

/** The command went on to its end, and said what was wrong in whole lines of words. Gives those that tell of failures. */
export function expectClearOutput({ code, stdout, stderr }: CommandResult, what: string): string[] {
  expect({ code, stderr }, what).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(
    lines.filter((line) => UNCLEAR.test(line) || !LINES.some((kind) => kind.test(line))),
    what,
  ).toEqual([]);
  return lines.filter((line) => line.endsWith("tried again at the next tick"));
}
