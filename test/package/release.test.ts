import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

it("The version is the newest of the changelog, so that each release has its notes", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  expect(/^## (\S+)$/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
});
