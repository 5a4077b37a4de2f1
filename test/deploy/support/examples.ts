import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocument } from "../../docs/support/markdown.ts";
import { packPackage, run } from "../../package/support/packed.ts";
import { type Outputs, ROOT } from "./cdk.ts";
import { shell, succeed } from "./processes.ts";
import type { Deployed } from "./stage.ts";

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const EXAMPLES = join(ROOT, "examples");
/** The survey poller's own, which an installation puts beside it. */
const OF_THE_PACKAGE = ["zod"];
const PROGRAMS = ["cdk", "esbuild"];

/**
 * Copies of the examples as `npm install` leaves them: the survey poller as it would be published, and the other packages of each
 * package.json. These are links to those of this checkout, whose versions a test holds to be the same.
 */
export interface ExamplesCheckout {
  /** Copies an example unless it is there, and gives its new folder. */
  copy(name: string): string;
  /** Compiles all of them against the package. Throws where a type does not fit. */
  compile(): Promise<void>;
}

const COMPILER = {
  target: "es2024",
  module: "nodenext",
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ["node"],
};

export async function checkOutExamples(folder: string): Promise<ExamplesCheckout> {
  mkdirSync(folder);
  const manifests = globSync("*/package.json", { cwd: EXAMPLES }).map(
    (file) => JSON.parse(readFileSync(join(EXAMPLES, file), "utf8")) as Manifest,
  );
  const named = manifests.flatMap((one) => Object.keys({ ...one.dependencies, ...one.devDependencies }));
  const packages = new Set([...OF_THE_PACKAGE, ...named]);
  packages.delete("survey-poller");
  const { file } = await packPackage(folder);
  const cwd = join(folder, "examples");
  const modules = join(cwd, "node_modules");
  const installed = join(modules, "survey-poller");
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", file, "-C", installed, "--strip-components=1"]);
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(modules, ".bin"));
  for (const program of PROGRAMS) {
    symlinkSync(join(ROOT, "node_modules", ".bin", program), join(modules, ".bin", program));
  }
  const copy = (name: string): string => {
    const target = join(cwd, name);
    if (existsSync(target)) return target;
    cpSync(join(EXAMPLES, name), target, { recursive: true });
    symlinkSync(modules, join(target, "node_modules"));
    // The bundler of the CDK takes it for the root of the project.
    writeFileSync(join(target, "package-lock.json"), "{}");
    return target;
  };
  return {
    copy,
    async compile() {
      const names = globSync("*/package.json", { cwd: EXAMPLES }).map((file) => dirname(file));
      for (const name of names) copy(name);
      const include = names.map((name) => `${name}/*.ts`);
      writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER, include }));
      const { PATH = "" } = process.env;
      await succeed(join(ROOT, "node_modules/.bin/tsc"), ["-p", cwd], { cwd, env: { PATH }, limit: 60_000 });
    },
  };
}

/** A deployed poller whose history has gone out, for all examples. */
export interface ExampleStage extends Deployed {
  /** A survey of this example alone, so that examples can be tried at the same time. */
  surveyId: number;
  checkout: ExamplesCheckout;
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

export interface DeployedExample {
  outputs: Outputs;
  /** By `npx cdk destroy`, which does not ask whether it is sure, and does not synthesise again. */
  destroy(): Promise<void>;
}

/** Deploys an example from a copy of its folder, by the commands of its README. */
export function deployExample(
  on: ExampleStage,
  name: string,
  { heading = "Deploy", replace = {}, more = "", input = "", env = {} }: DeployOptions = {},
): Promise<DeployedExample> {
  return on.report.step(`${name}: deployed by its README, "${heading}"`, async () => {
    const cwd = on.checkout.copy(name);
    const block = readDocument(join(cwd, "README.md")).fenced.find((one) => one.heading === heading);
    if (block === undefined) throw new Error(`the README of ${name} has no commands below "${heading}"`);
    const options = { cwd, env: { ...on.emulator.env, ...env }, limit: 120_000, input };
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
      destroy: async () => void (await succeed("npx", destroy, options)),
    };
  });
}
