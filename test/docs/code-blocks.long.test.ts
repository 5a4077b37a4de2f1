import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { documents, type Fenced } from "./support/markdown.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const blocksIn = (language: string): Fenced[] =>
  documents.flatMap(({ fenced }) => fenced.filter((block) => block.language === language));

/**
 * What TypeScript in the documents may take as given: a stack (`this`), the reader's own resources in it, a poller, an event
 * that a handler got. Everything else a block imports or declares, so that a reader can copy it.
 */
const GIVEN = `
import type { Stack } from "aws-cdk-lib";
import type { SurveyPoller } from "survey-poller/infra";
declare const stack: Stack;
declare const poller: SurveyPoller;
declare const queue: import("aws-cdk-lib/aws-sqs").Queue;
declare const consumer: import("aws-cdk-lib/aws-lambda").Function;
declare const topic: import("aws-cdk-lib/aws-sns").ITopic;
declare const vpc: import("aws-cdk-lib/aws-ec2").IVpc;
declare const eventBus: import("aws-cdk-lib/aws-events").IEventBus;
declare const stateTable: import("aws-cdk-lib/aws-dynamodb").ITable;
declare const encryptionKey: import("aws-cdk-lib/aws-kms").IKey;
declare const s3: import("@aws-sdk/client-s3").S3Client;
declare const event: { "detail-type": string; detail: unknown };
`;

/**
 * A block as a module that stands by itself: imports first, the rest in a function whose `this` is a stack. A name that the block
 * declares is not given.
 */
function asModule({ place, code }: Pick<Fenced, "place" | "code">): string {
  const statement = /^import [^;]*?;[ \t]*(?:\/\/.*)?$/gm;
  const imports = code.match(statement) ?? [];
  const body = code.replace(statement, "").replace(/^export /gm, "");
  const given = GIVEN.split("\n").filter((line) => {
    const name = /^declare const (\w+)|^import type \{ (\w+) \}/.exec(line)?.slice(1).find(Boolean) ?? "";
    const isDeclared = new RegExp(`\\b(?:const|let|function|class) ${name}\\b`).test(body);
    return !isDeclared && !imports.some((line) => new RegExp(`\\b${name}\\b`).test(line));
  });
  return `// ${place}
${imports.join("\n")}
${given.join("\n")}
export async function block(this: import("aws-cdk-lib").Stack): Promise<void> {
${body}
}
`;
}

/** Type-checks blocks against the sources of the package. Gives the lines of the compiler, with the place of each block. */
async function typeErrors(blocks: readonly Pick<Fenced, "place" | "code">[]): Promise<string[]> {
  // In the project, where the packages are found.
  mkdirSync(join(ROOT, "node_modules/.cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "node_modules/.cache/blocks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [i, block] of blocks.entries()) writeFileSync(join(folder, `block-${i}.mts`), asModule(block));
  const paths = {
    "survey-poller/infra": ["../../../infra/index.ts"],
    "survey-poller/events": ["../../../lib/events/index.ts"],
    "survey-poller/survey-api": ["../../../lib/survey-api/index.ts"],
    "survey-poller/contract/*": ["../../../contract/*"],
  };
  const compilerOptions = { paths, noUnusedLocals: false, noUnusedParameters: false, incremental: false };
  const settings = { extends: "../../../tsconfig.json", compilerOptions, include: ["*.mts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const printed = await run(join(ROOT, "node_modules/.bin/tsc"), ["--noEmit", "-p", folder], { cwd: ROOT }).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
  const lines = printed.split("\n").filter(Boolean);
  return lines.map((line) => line.replace(/^.*block-(\d+)\.mts/, (_, i: string) => blocks[Number(i)]?.place ?? ""));
}

it("TypeScript in the documents type-checks, and would not with a field or a name that there is not", async () => {
  const blocks = blocksIn("ts");
  expect(blocks.length).toBeGreaterThan(3);
  const wrong = ['poller.metricEmitted({ sauce: "main" });', "new Nothing();"].map((code, i) => ({
    place: `wrong-${i}`,
    code,
  }));
  const errors = await typeErrors([...blocks, ...wrong]);
  expect(errors.filter((line) => !line.startsWith("wrong"))).toEqual([]);
  expect(errors.join("\n")).toMatch(/wrong-0.*sauce.*wrong-1.*Nothing/s);
});

it("JavaScript in the documents can be read", async () => {
  for (const { place, code } of blocksIn("js")) {
    await expect(transform(code, { loader: "js", format: "esm", logLevel: "silent" }), place).resolves.toBeDefined();
  }
});

it("Python in the documents compiles", async () => {
  const blocks = blocksIn("python");
  expect(blocks.length).toBeGreaterThan(0);
  for (const { place, code } of blocks) {
    const compile = `compile(${JSON.stringify(code)}, "block", "exec")`;
    await expect(run("python3", ["-c", compile]), place).resolves.toBeDefined();
  }
});
