import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/command.ts";

const root = join(import.meta.dirname, "../..");

/** What the package's program runs, in a folder that has these files beside it. */
function programRuns(...files: string[]): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `process.stdout.write(${JSON.stringify(file)})`);
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync(join(root, "infra/package/survey-poller.mjs"), join(folder, "dist/bin/survey-poller.mjs"));
  return execFileSync(process.execPath, ["dist/bin/survey-poller.mjs"], { cwd: folder, encoding: "utf8" });
}

it("In a checkout the package's program runs the checkout's own command, whatever was built there before", () => {
  expect(programRuns("dist/bin/main.js", "lib/cli/bin/survey-poller.mjs")).toBe("lib/cli/bin/survey-poller.mjs");
});

it("Installed it runs what was built", () => {
  expect(programRuns("dist/bin/main.js")).toBe("dist/bin/main.js");
});

it("The version is the newest of the changelog, so that each release has its notes", () => {
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  expect(/^## (\S+)$/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
});
