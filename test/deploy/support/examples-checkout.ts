import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packPackage, run } from "../../package/support/packed.ts";
import { ROOT } from "./cdk.ts";
import { succeed } from "./processes.ts";

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
