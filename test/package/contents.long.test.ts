import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSimulator } from "../../lib/local/simulator/index.ts";
import {
  installPackage,
  openProject,
  type Packed,
  type Project,
  packPackage,
  removePacked,
  root,
} from "./support/packed.ts";

let packed: Packed;
let project: Project;
let installed: string;

beforeAll(async () => {
  packed = await packPackage();
  project = openProject(packed, "plain");
  await installPackage(project, packed);
  installed = join(project.cwd, "node_modules/survey-poller");
}, 240_000);

afterAll(() => removePacked(packed), 120_000);

/** Runs a module there; gives what it prints as JSON. */
async function runModule(name: string, source: string, env: Record<string, string> = {}): Promise<unknown> {
  writeFileSync(join(project.cwd, name), source);
  return JSON.parse(await project.run("node", [name], env));
}

/** A service that gives a token and refuses it. */
async function startService(): Promise<string> {
  const simulator = await startSimulator({ clientId: "a", clientSecret: "b" });
  onTestFinished(() => simulator.close());
  simulator.fault({ kind: "status", status: 400, operation: "surveys" });
  return simulator.url;
}

describe("the package", () => {
  it("holds what was built, the contract and the docs, and no sources, tests or paths of the machine", () => {
    for (const path of packed.files) {
      expect(path).toMatch(
        /^(package\.json|(README|CHANGELOG)\.md|\.github\/(CONTRIBUTING|SECURITY)\.md|LICENSE|dist\/LICENSES\.txt|dist\/(esm|cjs)\/.+\.(js|d\.ts)|dist\/cjs\/package\.json|dist\/functions\/\w+\/[\w-]+\.mjs(\.map)?|dist\/cloudformation\/(poll\.zip|main\.tf|LICENSES\.txt|[\w-]+\.template\.json)|dist\/bin\/.+\.m?js|dist\/bin\/page\/style\.css|contract\/.+\.(json|yaml|d\.ts|py|java)|docs\/.+|examples\/.+)$/,
      );
      expect(path).not.toMatch(/\/tests?\/|\.test\.|^dist.*\/app\.|\/released\//);
    }
    const texts = globSync("dist/**/*.*", { cwd: installed }).map((file) =>
      readFileSync(join(installed, file), "utf8"),
    );
    expect(texts.length).toBeGreaterThan(50);
    for (const text of texts) for (const path of [root, packed.folder, "file:///"]) expect(text).not.toContain(path);
  });

  it("brings nothing but zod", async () => {
    expect(globSync("node_modules/*", { cwd: project.cwd }).sort()).toEqual([
      "node_modules/survey-poller",
      "node_modules/zod",
    ]);
  });

  it("says the licence of each library that it holds", () => {
    const text = readFileSync(join(installed, "dist/LICENSES.txt"), "utf8");
    for (const name of ["undici ", "zod ", "commander ", "hono ", "preact ", "uuid ", "@aws-sdk/client-dynamodb "]) {
      expect(text).toContain(`\n${name}`);
    }
    expect(text).toContain("Permission is hereby granted, free of charge");
  });

  it("has no fault that publint finds", async () => {
    const printed = await project.run(join(root, "node_modules/.bin/publint"), ["--strict", packed.file]);
    expect(printed).toContain("All good!");
  });

  it("has declarations that every way to resolve a module finds", async () => {
    // "are the types wrong" ends with an error when there is anything; of wildcards it checks nothing.
    const printed = await project.run(join(root, "node_modules/.bin/attw"), [packed.file, "--format", "json"]);
    const { analysis } = JSON.parse(printed) as { analysis: { problems: unknown[]; entrypoints: object } };
    expect(analysis.problems).toEqual([]);
    expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(["./infra", "./events", "./survey-api"]));
  });

  it("refuses deep imports", async () => {
    const source = `
      const deep = ["survey-poller", "survey-poller/dist/esm/infra.js", "survey-poller/survey-api/errors.js"];
      const code = (name) => import(name).then(() => "loaded", ({ code }) => code);
      console.log(JSON.stringify(await Promise.all(deep.map(code))));
    `;
    expect(await runModule("deep.mjs", source)).toEqual(
      Array.from({ length: 3 }, () => "ERR_PACKAGE_PATH_NOT_EXPORTED"),
    );
  });

  it("can be bundled as CommonJS with a function that uses it, as the CDK's own bundler does", async () => {
    const source = `
      import { responseCompleted } from "survey-poller/events";
      import { createSurveyApi } from "survey-poller/survey-api";
      console.log(JSON.stringify([responseCompleted.safeParse({}).success, typeof createSurveyApi]));
    `;
    writeFileSync(join(project.cwd, "bundled.mjs"), source);
    const how = ["--bundle", "--platform=node", "--format=cjs", "--outfile=bundled.cjs", "--log-level=error"];
    await project.run(join(root, "node_modules/.bin/esbuild"), ["bundled.mjs", ...how]);
    expect(JSON.parse(await project.run("node", ["bundled.cjs"]))).toEqual([false, "function"]);
  });

  it("holds a function that starts", async () => {
    // It loads, and misses what the stack would tell it.
    const load = `import(${JSON.stringify(join(installed, "dist/functions/poll/index.mjs"))}).catch(({ code, message }) => console.log(code, message))`;
    expect(await project.run("node", ["-e", load])).toMatch(/^BAD_ENVIRONMENT .*TABLE_NAME/);
  });
});

describe("survey-poller/survey-api", () => {
  const credentials = `{ clientId: "a", clientSecret: "b" }`;
  const told = `
    const api = createSurveyApi({ baseUrl: process.env.BASE_URL, credentials: ${credentials} });
    const read = async () => {
      const code = await api.surveys().catch((error) => error.code);
      await api.close();
      console.log(JSON.stringify({ code, isError: NotFoundError.prototype instanceof Error }));
    };
    read();
  `;
  it.each([
    ["client.mjs", 'import { createSurveyApi, NotFoundError } from "survey-poller/survey-api";'],
    ["client.cjs", 'const { createSurveyApi, NotFoundError } = require("survey-poller/survey-api");'],
  ])("is a client of the survey service for plain JavaScript: %s", async (name, imported) => {
    expect(await runModule(name, `${imported}${told}`, { BASE_URL: await startService() })).toEqual({
      code: "WRONG_TOKEN",
      isError: true,
    });
  });

  it("is typed, with its declarations checked as strictly as one may", async () => {
    const source = `
      import { createSurveyApi, NotFoundError, type ResponseRecord, type SurveyApi } from "survey-poller/survey-api";
      import { type BooksVerdict, type ResponseCompleted, responseCompleted, verifyBooks } from "survey-poller/events";
      import type { SurveyPollerEvent } from "survey-poller/contract/events.d.ts";

      export const api: SurveyApi = createSurveyApi({ baseUrl: "https://surveys.example.com", credentials: ${credentials} });
      export async function newest(): Promise<ResponseRecord | undefined> {
        return (await api.records(7, { order: "desc" }))[0];
      }
      export const completed = (detail: unknown): ResponseCompleted => responseCompleted.parse(detail);
      export const verdict = (...given: Parameters<typeof verifyBooks>): BooksVerdict => verifyBooks(...given);
      export const isGone = (error: unknown): boolean => error instanceof NotFoundError && error.status === 404;
      export function nameOf(event: SurveyPollerEvent): string | null | undefined {
        return event["detail-type"] === "response.completed" ? event.detail.data.survey?.name : undefined;
      }
      // @ts-expect-error: not an order
      export const wrong = api.records(7, { order: "up" });
    `;
    writeFileSync(join(project.cwd, "typed.mts"), source);
    const required = 'import { type ResponseCompleted, responseCompleted } from "survey-poller/events";';
    writeFileSync(
      join(project.cwd, "typed.cts"),
      `${required}\nexport const read: ResponseCompleted = responseCompleted.parse({});`,
    );
    const strict = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
    const how = ["--module", "nodenext", "--target", "es2024", "--allowImportingTsExtensions"];
    const node = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    const compiler = join(root, "node_modules/.bin/tsc");
    expect(await project.run(compiler, [...strict, ...how, ...node, "typed.mts", "typed.cts"])).toBe("");

    // An error is found.
    writeFileSync(join(project.cwd, "typed.mts"), source.replace("// @ts-expect-error: not an order", ""));
    await expect(project.run(compiler, [...strict, ...how, ...node, "typed.mts"])).rejects.toThrow("typed.mts");
  });
});

describe("the contract in the package", () => {
  it("leaves a bundle small: an id needs no schemas", async () => {
    writeFileSync(join(project.cwd, "id-alone.mjs"), 'export { eventId } from "survey-poller/events";');
    const how = ["--bundle", "--platform=node", "--format=esm", "--outfile=id-alone.out.mjs", "--log-level=error"];
    await project.run(join(root, "node_modules/.bin/esbuild"), ["id-alone.mjs", ...how]);
    expect(readFileSync(join(project.cwd, "id-alone.out.mjs")).byteLength).toBeLessThan(10_000);
  });

  it("is there for other languages", async () => {
    const source = `
      import event from "survey-poller/contract/golden/ordinary.json" with { type: "json" };
      import schema from "survey-poller/contract/json-schema/events.json" with { type: "json" };
      const resolved = import.meta.resolve("survey-poller/contract/python/survey_poller_events.py");
      console.log(JSON.stringify([event["detail-type"], schema.title, resolved.endsWith("/python/survey_poller_events.py")]));
    `;
    expect(await runModule("contract.mjs", source)).toEqual(["response.completed", "SurveyPollerEvent", true]);
    const required = `
      const { eventId, responseCompleted } = require("survey-poller/events");
      const { detail } = require("survey-poller/contract/golden/ordinary.json");
      console.log(JSON.stringify([eventId("main", 1, 2).length, responseCompleted.safeParse(detail).success]));
    `;
    expect(await runModule("contract.cjs", required)).toEqual([36, true]);
  });
});

describe("the command in the package", () => {
  const command = (...args: string[]): Promise<string> => project.run("npx", ["survey-poller", ...args]);

  it("is on the path, and tells its version", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(await command("--version")).toBe(`${version}\n`);
    expect(await command("--help")).toContain("doctor");
  });

  it("looks for the stack in AWS, and says what it misses", async () => {
    await expect(command("status", "--stack", "Surveys")).rejects.toThrow("no AWS region is set");
  });

  it("has nothing in its help that it cannot do: a data folder belongs to a checkout", async () => {
    for (const verb of ["", "status", "audit", "console", "quarantine", "doctor"])
      expect(await command(...verb.split(" ").filter(Boolean), "--help")).not.toMatch(/--data|npm start/);
    await expect(command("status", "--data", "x")).rejects.toThrow("the checkout whose npm start made it");
  });
});
