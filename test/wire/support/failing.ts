import { expect } from "vitest";
import type { CommandResult } from "../../support/command.ts";

/** Exit 1 with one clear line on standard error that matches, no stack, and nothing on standard output but the greeting. */
export function expectOneClearLine(result: CommandResult, line: RegExp, what = ""): void {
  expect(result.code, `${what}: ${result.stderr}`).toBe(1);
  expect(result.stderr, what).toMatch(/^[^\n]+\n$/);
  expect(result.stderr, what).toMatch(line);
  expect(result.stderr, what).not.toMatch(
    /unexpected \w+: |unexpected failure|undefined|\[object|\bat [^ ]+ \(|\.ts:\d+|node:internal/,
  );
  expect(result.stdout.replace(/^polling [^\n]*\n/, ""), what).toBe("");
  expect(result.events, what).toEqual([]);
}
