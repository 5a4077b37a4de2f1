import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  installNode,
  installPackage,
  openProject,
  type Packed,
  packPackage,
  removePacked,
  root,
} from "./support/packed.ts";

let packed: Packed;

beforeAll(async () => {
  packed = await packPackage();
}, 120_000);

afterAll(() => removePacked(packed), 120_000);

// Each is what a team has before it finds the package: made by its own tools, with its own compiler and aws-cdk-lib.
describe.concurrent("installed from its tarball, the package serves", () => {
  it("an older CDK app with ts-node and module commonjs, on Node 20.11 and the oldest aws-cdk-lib that works", async () => {
    const node = await installNode(packed, "20.11.1");
    const project = openProject(packed, "commonjs", { from: "commonjs-ts-node", node });
    await installPackage(project, packed);
    expect(await project.run("node", ["--version"])).toBe("v20.11.1\n");
    expect(JSON.parse(await project.run("npm", ["run", "--silent", "check"]))).toEqual({
      types: expect.arrayContaining(["AWS::Lambda::Function", "AWS::Scheduler::Schedule"]),
      problems: ["sources[0].baseUrl"],
      detailType: "response.completed",
    });
    // An ES module names what it takes of Node as it is loaded: none of it may be newer than that Node.
    for (const [entry, name] of Object.entries({ infra: "SurveyPoller", events: "eventId" })) {
      const load = `import("survey-poller/${entry}").then((module) => console.log(typeof module.${name}))`;
      expect(await project.run("node", ["-e", load])).toBe("function\n");
    }
    for (const client of ['import("survey-poller/survey-api")', 'require("survey-poller/survey-api")'])
      await expect(project.run("node", ["-e", client])).rejects.toThrow(
        "needs Node 22.19 or newer, but runs on 20.11.1",
      );
  });

  it("an app made by cdk init: its own jest passes, and it synthesizes", async () => {
    const project = openProject(packed, "theirs");
    await project.run(join(root, "node_modules/.bin/cdk"), [
      "init",
      "app",
      "--language",
      "typescript",
      "--generate-only",
    ]);
    const files = join(import.meta.dirname, "projects/cdk-init");
    cpSync(join(files, "stack.ts"), join(project.cwd, "lib/theirs-stack.ts"));
    cpSync(join(files, "stack-test.ts"), join(project.cwd, "test/theirs.test.ts"));
    await installPackage(project, packed);
    await project.run("npm", ["test"]);
    await project.run("npx", ["cdk", "synth", "--quiet"]);
  });
});
