import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const EXAMPLES = join(import.meta.dirname, "../../examples");

const read = (...path: string[]): string => readFileSync(join(EXAMPLES, ...path), "utf8");
const examples = globSync("*/app.ts", { cwd: EXAMPLES }).map((file) => dirname(file));
const own = JSON.parse(read("../package.json"));
const here = { ...own.dependencies, ...own.devDependencies, "survey-poller": own.version };

describe.each(examples)("the example %s", (name) => {
  const { dependencies, devDependencies, ...manifest } = JSON.parse(read(name, "package.json"));
  const versions: Record<string, string> = { ...dependencies, ...devDependencies };
  const files = globSync("**/*.ts", { cwd: join(EXAMPLES, name), exclude: ["**/node_modules/**"] });
  const source = files.map((file) => read(name, file)).join("\n");

  it("names each package that it imports, so that a copy of the folder is enough", () => {
    const imported = source.matchAll(/ from "(?!node:|\.)((?:@[^/"]+\/)?[^/"]+)/g);
    // Types of Lambda's events come from the package with the types.
    const named = [...imported].map(([, one]) => (one === "aws-lambda" ? "@types/aws-lambda" : one));
    expect(Object.keys(versions)).toEqual(expect.arrayContaining(named));
  });

  it("asks for exactly the versions that this project is tested with", () => {
    expect(here).toMatchObject(Object.fromEntries(Object.entries(versions).filter(([one]) => one in here)));
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(manifest).toMatchObject({ name, private: true });
  });

  it("imports nothing of this project but what the package exports", () => {
    expect(source).not.toMatch(/from "\.\.\//);
  });

  it("is in the list of examples, and its README says how it is deployed", () => {
    expect(read("README.md")).toContain(`](${name})`);
    expect(read(name, "README.md")).toMatch(/npm install <clone>\/survey-poller-\S+\.tgz\n(?:.*\n)*?npx cdk deploy /);
  });
});

describe("the list of examples", () => {
  it("names folders that are there", () => {
    const linked = [...read("README.md").matchAll(/\]\(([a-z0-9-]+)\)/g)];
    expect([...new Set(linked.map(([, folder]) => folder))].sort()).toEqual(examples.toSorted());
  });
});
