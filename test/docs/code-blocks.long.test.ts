import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { asModule } from "./support/code-blocks.ts";
import { documents, type Fenced } from "./support/markdown.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const blocksIn = (language: string): Fenced[] =>
  documents.flatMap(({ fenced }) => fenced.filter((block) => block.language === language));

/** Type-checks modules against the sources of the package; gives what the compiler prints. */
async function typeErrors(modules: readonly string[]): Promise<string> {
  // In the project, where the packages are found.
  mkdirSync(join(ROOT, "node_modules/.cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "node_modules/.cache/blocks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [i, text] of modules.entries()) writeFileSync(join(folder, `block-${i}.mts`), text);
  const paths = {
    "survey-poller/infra": ["../../../infra/index.ts"],
    "survey-poller/events": ["../../../lib/events/index.ts"],
    "survey-poller/survey-api": ["../../../lib/survey-api/index.ts"],
    "survey-poller/contract/*": ["../../../contract/*"],
  };
  const compilerOptions = { paths, noUnusedLocals: false, noUnusedParameters: false, incremental: false };
  const settings = { extends: "../../../tsconfig.json", compilerOptions, include: ["*.mts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  return run(join(ROOT, "node_modules/.bin/tsc"), ["--noEmit", "-p", folder], { cwd: ROOT }).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** Lines of the compiler, with the place of each block in the documents. */
const placed = (printed: string, blocks: readonly Fenced[]): string[] =>
  printed
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/^.*block-(\d+)\.mts/, (_, i: string) => blocks[Number(i)]?.place ?? ""));

describe("the code blocks of the documents", () => {
  it("are TypeScript that type-checks", async () => {
    const blocks = blocksIn("ts");
    expect(blocks.length).toBeGreaterThan(3);
    expect(placed(await typeErrors(blocks.map(asModule)), blocks)).toEqual([]);
  });

  it("would not be TypeScript with a field or a name that there is not", async () => {
    const wrong = [
      'poller.onResponseCompleted("A", { where: { data: { surveyID: [1] } }, target: queue });',
      "new Nothing();",
    ];
    const printed = await typeErrors(wrong.map((code) => asModule({ place: "here", language: "ts", code })));
    expect(printed).toMatch(/block-0.*surveyID/);
    expect(printed).toMatch(/block-1.*Nothing/);
  });

  it("are JavaScript that can be read", async () => {
    const blocks = blocksIn("js");
    for (const { place, code } of blocks) {
      await expect(transform(code, { loader: "js", format: "esm", logLevel: "silent" }), place).resolves.toBeDefined();
    }
  });

  it("are Python that compiles", async () => {
    const blocks = blocksIn("python");
    expect(blocks.length).toBeGreaterThan(0);
    for (const { place, code } of blocks) {
      await expect(
        run("python3", ["-c", `compile(${JSON.stringify(code)}, "block", "exec")`]),
        place,
      ).resolves.toBeDefined();
    }
  });
});
