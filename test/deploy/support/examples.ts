import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocument } from "../../docs/support/markdown.ts";
import { packPackage, run } from "../../package/support/packed.ts";
import { type Outputs, ROOT } from "./cdk.ts";
import { shell, succeed } from "./processes.ts";
import type { Deployed } from "./stage.ts";

const EXAMPLES = join(ROOT, "examples");
const PROGRAMS = ["cdk", "esbuild"];
/** Bytes of a comment that are more than a state machine takes as its input, and than the poller leaves in an event. */
export const LARGE = 300_000;
const COMPILER = {
  target: "es2024",
  module: "nodenext",
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ["node"],
};

/**
 * Copies the examples, each as `npm install` leaves it: with the survey poller as it would be published, and the other packages of its
 * package.json. These are links to those of this checkout, whose versions a test holds to be the same. Compiles all of them.
 */
export async function checkOutExamples(folder: string): Promise<void> {
  const names = globSync("*/package.json", { cwd: EXAMPLES }).map((file) => dirname(file));
  const modules = join(folder, "node_modules");
  const link = (path: string): void => {
    mkdirSync(dirname(join(modules, path)), { recursive: true });
    if (!existsSync(join(modules, path))) symlinkSync(join(ROOT, "node_modules", path), join(modules, path));
  };
  const installed = join(modules, "survey-poller");
  mkdirSync(installed, { recursive: true });
  const { file } = await packPackage(folder);
  await run("tar", ["-xzf", file, "-C", installed, "--strip-components=1"]);
  // The survey poller's own, which an installation puts beside it.
  for (const path of ["zod", ...PROGRAMS.map((program) => `.bin/${program}`)]) link(path);
  for (const name of names) {
    const copy = join(folder, name);
    cpSync(join(EXAMPLES, name), copy, { recursive: true });
    symlinkSync(modules, join(copy, "node_modules"));
    // The bundler of the CDK takes it for the root of the project.
    writeFileSync(join(copy, "package-lock.json"), "{}");
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
    for (const one of Object.keys({ ...dependencies, ...devDependencies })) link(one);
  }
  const include = names.map((name) => `${name}/*.ts`);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER, include }));
  const { PATH = "" } = process.env;
  const compiling = { cwd: folder, env: { PATH }, limit: 60_000 };
  await succeed(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], compiling);
}

/** A deployed poller whose history has gone out, for all examples. */
export interface ExampleStage extends Deployed {
  /** Of its folder. */
  name: string;
  /** A survey of this example alone, so that examples can be tried at the same time. */
  surveyId: number;
  /** Where copies of the examples are. */
  examples: string;
}

/** What differs from the README's commands. */
export interface DeployOptions {
  /** Of the commands. Default "Deploy". */
  heading?: string;
  /** What stands for a name of the reader's own, and that name. */
  replace?: Readonly<Record<string, string>>;
  /** Added to the last command, such as `-c withComment=true`. */
  more?: string;
  /** What is typed at the commands' questions. */
  input?: string;
  env?: Record<string, string>;
}

/** Deploys an example from a copy of its folder, by the commands of its README. */
export function deployExample(
  { report, examples, emulator, name }: ExampleStage,
  { heading = "Deploy", replace = {}, more = "", input = "", env = {} }: DeployOptions = {},
) {
  return report.step(`deployed by its README, "${heading}"`, async () => {
    const cwd = join(examples, name);
    const block = readDocument(join(cwd, "README.md")).fenced.find((one) => one.heading === heading);
    if (block === undefined) throw new Error(`the README of ${name} has no commands below "${heading}"`);
    const options = { cwd, env: { ...emulator.env, ...env }, limit: 120_000, input };
    // The packages lie there already.
    let script = block.code.replace(/^npm install.*\n/m, "").trimEnd();
    for (const [placeholder, text] of Object.entries(replace)) {
      if (!script.includes(placeholder)) throw new Error(`the README of ${name} has no ${placeholder}`);
      script = script.replaceAll(placeholder, text);
    }
    const out = `cdk.out.${heading}`;
    await shell(`${script} ${more} --output ${out} --outputs-file ${out}.json`, options);
    const all = JSON.parse(readFileSync(join(cwd, `${out}.json`), "utf8")) as Record<string, Outputs>;
    const destroy = ["cdk", "destroy", "--all", "--force", "--app", out];
    return {
      outputs: Object.assign({}, ...Object.values(all)) as Outputs,
      /** By `npx cdk destroy`, which does not ask whether it is sure, and does not synthesise again. */
      destroy: async (): Promise<void> => void (await succeed("npx", destroy, options)),
    };
  });
}
