import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, installPackage, root, run } from "./support/packed.ts";

let consumer: Consumer;

beforeAll(async () => {
  // No bundler and no SDK: the functions come bundled.
  consumer = await installPackage(["aws-cdk-lib", "constructs", "uuid", "zod", "@types/node"]);
  writeFileSync(join(consumer.cwd, "package.json"), '{ "type": "module", "private": true }');
}, 120_000);

afterAll(() => rmSync(consumer.folder, { recursive: true, force: true }));

/** What an app in another folder makes of the package. */
const app = `
  import { App, Stack } from "aws-cdk-lib";
  import { ConfigError, SurveyPoller } from "survey-poller/infra";

  const app = new App({ outdir: "out" });
  const stack = new Stack(app, "Theirs");
  const sources = [{ baseUrl: "https://surveys.example.com" }];
  new SurveyPoller(stack, "Surveys", { sources });
  const assembly = app.synth();
  const problems = (() => {
    try {
      new SurveyPoller(new Stack(app, "Bad"), "Surveys", { sources: [{ baseUrl: "ftp://x", intervall: "1m" }], proxy: "x" });
    } catch (error) {
      return error instanceof ConfigError ? error.problems.map(({ path }) => path) : String(error);
    }
  })();
  const { Resources } = assembly.getStackByName("Theirs").template;
  console.log(JSON.stringify({ types: Object.values(Resources).map(({ Type }) => Type), problems }));
`;

describe("the construct, from the package", () => {
  it("synthesizes in another folder, with a function that starts there", async () => {
    const { types, problems } = (await consumer.runModule("app.mjs", app, { PATH: process.env.PATH ?? "" })) as {
      types: string[];
      problems: string[];
    };
    expect(types.filter((type) => type === "AWS::Lambda::Function")).toHaveLength(1);
    expect(problems).toEqual(["sources[0].baseUrl", "sources[0].intervall", "proxy"]);

    const out = join(consumer.cwd, "out");
    const { files } = JSON.parse(readFileSync(join(out, "Theirs.assets.json"), "utf8")) as {
      files: Record<string, { source: { path: string; packaging: string } }>;
    };
    const packages = Object.values(files).filter(({ source }) => source.packaging === "zip");
    expect(packages).toHaveLength(1);
    for (const { source } of packages) {
      const folder = join(out, source.path);
      expect(existsSync(join(folder, "index.mjs.map"))).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, "config.json"), "utf8"))).toEqual({
        sources: [{ baseUrl: "https://surveys.example.com" }],
      });
      // It loads, and misses what the stack would tell it.
      const load = `import(${JSON.stringify(join(folder, "index.mjs"))}).catch(({ code, message }) => console.log(code, message))`;
      const { stdout } = await run(process.execPath, ["-e", load], { cwd: consumer.cwd, env: {} });
      expect(stdout).toMatch(/^BAD_ENVIRONMENT .*TABLE_NAME/);
    }
  }, 120_000);

  it("is typed", async () => {
    const source = `
        import { Stack } from "aws-cdk-lib";
        import type { IGrantable } from "aws-cdk-lib/aws-iam";
        import { createStateTable, SurveyPoller, type SurveyPollerProps } from "survey-poller/infra";

        export function add(stack: Stack, reader: IGrantable): string {
          const props: SurveyPollerProps = {
            sources: [{ baseUrl: "https://surveys.example.com", interval: "5m" }],
            stateTable: createStateTable(stack, "Books"),
          };
          const poller = new SurveyPoller(stack, "Surveys", props);
          poller.grantReadAnswers(reader).assertSuccess();
          return poller.bus.eventBusName;
        }
        // @ts-expect-error: a source has an address
        export const wrong: SurveyPollerProps = { sources: [{ name: "main" }] };
        // @ts-expect-error: not a level
        export const odd: SurveyPollerProps = { sources: [{ baseUrl: "https://x", logLevel: "loud" }] };
      `;
    writeFileSync(join(consumer.cwd, "typed.ts"), source);
    const compilerOptions = {
      strict: true,
      module: "nodenext",
      target: "es2024",
      types: ["node"],
      skipLibCheck: true,
      noEmit: true,
    };
    writeFileSync(join(consumer.cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["typed.ts"] }));
    const checked = run(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: consumer.cwd });
    await expect(checked).resolves.toMatchObject({ stdout: "" });
  }, 120_000);
});
