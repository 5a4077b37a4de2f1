import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples");

interface Manifest {
  name: string;
  version: string;
  private: boolean;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

const readManifest = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Manifest;
const names = globSync("*/stack.ts", { cwd: EXAMPLES })
  .concat(globSync("*/app.ts", { cwd: EXAMPLES }))
  .map((file) => file.split("/")[0] ?? "");
const examples = [...new Set(names)].sort();
const own = readManifest(join(ROOT, "package.json"));
const here = { ...own.dependencies, ...own.devDependencies, "survey-poller": own.version };

/** Packages that the TypeScript of an example imports. */
function imported(name: string): string[] {
  const sources = globSync("**/*.ts", { cwd: join(EXAMPLES, name), exclude: ["**/node_modules/**"] });
  const from = sources.flatMap((file) => [
    ...readFileSync(join(EXAMPLES, name, file), "utf8").matchAll(/ from "([^."][^"]*)"/g),
  ]);
  const packages = from
    .map(([, specifier = ""]) => specifier)
    .filter((specifier) => !specifier.startsWith("node:"))
    .map((specifier) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  return [...new Set(packages)].sort();
}

describe.each(examples)("the example %s", (name) => {
  const folder = join(EXAMPLES, name);
  const manifest = readManifest(join(folder, "package.json"));
  const all: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };

  it("names each package that it imports, so that a copy of the folder is enough", () => {
    // Types of Lambda's events come from the package with the types.
    const named = imported(name).map((one) => (one === "aws-lambda" ? "@types/aws-lambda" : one));
    expect(Object.keys(all)).toEqual(expect.arrayContaining(named));
  });

  it("asks for exactly the versions that this project is tested with", () => {
    const known = Object.keys(all).filter((one) => one in here);
    expect(Object.fromEntries(known.map((one) => [one, all[one]]))).toEqual(
      Object.fromEntries(known.map((one) => [one, (here as Record<string, string>)[one]])),
    );
    for (const version of Object.values(all)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect([manifest.name, manifest.private]).toEqual([name, true]);
  });

  it("imports nothing of this project but what the package exports", () => {
    const sources = globSync("**/*.ts", { cwd: folder, exclude: ["**/node_modules/**"] });
    for (const file of sources) expect(readFileSync(join(folder, file), "utf8")).not.toMatch(/from "\.\.\//);
  });

  it("is in the list of examples, and its README says how it is deployed", () => {
    expect(readFileSync(join(EXAMPLES, "README.md"), "utf8")).toContain(`](${name})`);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toMatch(
      /npm install <clone>\/survey-poller-\S+\.tgz\n(?:.*\n)*?npx cdk deploy /,
    );
  });
});

describe("the list of examples", () => {
  it("names folders that are there", () => {
    const linked = [...readFileSync(join(EXAMPLES, "README.md"), "utf8").matchAll(/\]\(([a-z0-9-]+)\)/g)];
    expect([...new Set(linked.map(([, folder]) => folder))].sort()).toEqual(examples);
  });
});
