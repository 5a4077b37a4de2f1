import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Consumer, installPackage, pack, root, run } from "./support/packed.ts";

let consumer: Consumer;
const runModule: Consumer["runModule"] = (...args) => consumer.runModule(...args);

async function startService(): Promise<string> {
  const survey = JSON.parse(
    readFileSync(join(root, "test/lib/survey-api/schemas/fixtures/survey.json"), "utf8"),
  ) as unknown;
  const server = createServer((request, response) => {
    const authorized = request.headers.authorization === "bearer abc";
    if (request.url === "/oauth/token/") response.end('{"token":"abc"}');
    else if (request.url === "/api/v3/surveys/1201/" && authorized) response.end(JSON.stringify([survey].flat()));
    else response.writeHead(400).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  // No AWS package.
  consumer = await installPackage(["@streamparser/json", "undici", "uuid", "yocto-queue", "zod", "@types/node"]);
}, 60_000);

afterAll(() => rmSync(consumer.folder, { recursive: true, force: true }));

describe("the package", () => {
  it("holds what was built, and no sources, tests or paths of the machine", async () => {
    const fromHere = await pack(root, "--dry-run");
    for (const { path } of [...consumer.packed.files, ...fromHere.files]) {
      expect(path).toMatch(
        /^(package\.json|README\.md|LICENSE|dist\/(lib|infra)\/.+\.(js|d\.ts)|dist\/functions\/poll\/index\.mjs(\.map)?|contract\/.+\.(json|yaml|d\.ts|py|java))$/,
      );
      expect(path).not.toMatch(/\/tests?\/|\.test\.|\/app\.|\/released\//);
    }
    const texts = globSync("dist/**/*.*", { cwd: consumer.installed }).map((file) =>
      readFileSync(join(consumer.installed, file), "utf8"),
    );
    expect(texts.length).toBeGreaterThan(50);
    for (const text of texts) for (const path of [root, consumer.folder, "file:///"]) expect(text).not.toContain(path);
  });

  it("has declarations that stand by themselves, with what is said of each function", () => {
    const declarations = globSync("dist/**/*.d.ts", { cwd: consumer.installed });
    for (const file of declarations) {
      const text = readFileSync(join(consumer.installed, file), "utf8");
      expect(text).not.toMatch(/["'][^"']*(?<!\.d)\.ts["']/);
    }
    const text = readFileSync(join(consumer.installed, "dist/lib/survey-api/survey-api.d.ts"), "utf8");
    for (const said of ["Operation 9: one response.", "@example", 'Default order "asc"']) expect(text).toContain(said);
  });

  it("is a client of the survey service for plain JavaScript", async () => {
    const source = `
      import { createSurveyApi, NotFoundError } from "survey-poller/survey-api";
      const credentials = { clientId: "a", clientSecret: "b" };
      const api = createSurveyApi({ baseUrl: process.env.BASE_URL, credentials });
      const { surveyId, pagesById } = await api.survey(1201);
      const code = await api.surveys().catch((error) => error.code);
      await api.close();
      console.log(JSON.stringify({ surveyId, pages: Object.keys(pagesById).length, code, isError: NotFoundError.prototype instanceof Error }));
    `;
    expect(await runModule("client.mjs", source, { BASE_URL: await startService() })).toEqual({
      surveyId: 1201,
      pages: 1,
      code: "WRONG_TOKEN",
      isError: true,
    });
  });

  it("is the contract of the events for plain JavaScript", async () => {
    const source = `
      import { DETAIL_TYPE, eventId, responseCompleted, responseCompletedJsonSchema } from "survey-poller/events";
      const fits = responseCompleted.safeParse({}).success;
      console.log(JSON.stringify([DETAIL_TYPE, eventId("main", 1, 2), fits, responseCompletedJsonSchema().type]));
    `;
    const { eventId } = await import("../../lib/events/index.ts");
    expect(await runModule("events.mjs", source)).toEqual([
      "response.completed",
      eventId("main", 1, 2),
      false,
      "object",
    ]);
  });

  it("is the contract of the events for other languages, too", async () => {
    const source = `
      import event from "survey-poller/contract/golden/ordinary.json" with { type: "json" };
      import schema from "survey-poller/contract/json-schema/events.json" with { type: "json" };
      const resolved = import.meta.resolve("survey-poller/contract/python/survey_poller_events.py");
      console.log(JSON.stringify([event["detail-type"], schema.title, resolved.endsWith("/python/survey_poller_events.py")]));
    `;
    expect(await runModule("contract.mjs", source)).toEqual(["response.completed", "SurveyPollerEvent", true]);
  });

  it("has declarations of the events that stand by themselves", async () => {
    writeFileSync(
      join(consumer.cwd, "consumer.ts"),
      `import type { SurveyPollerEvent } from "survey-poller/contract/events.d.ts";
      export function nameOf(event: SurveyPollerEvent): string | null | undefined {
        return event["detail-type"] === "response.completed" ? event.detail.data.survey?.name : undefined;
      }`,
    );
    const strict = ["--noEmit", "--strict", "--types", "", "--module", "nodenext", "--allowImportingTsExtensions"];
    const compiled = run(join(root, "node_modules/.bin/tsc"), [...strict, "consumer.ts"], { cwd: consumer.cwd });
    await expect(compiled).resolves.toMatchObject({ stdout: "" });
  });

  it("loads nothing of AWS", async () => {
    const source = `
      const found = await import("@aws-sdk/client-dynamodb").then(() => true, ({ code }) => code);
      const modules = [await import("survey-poller/survey-api"), await import("survey-poller/events")];
      console.log(JSON.stringify([found, ...modules.map((module) => Object.keys(module).length > 5)]));
    `;
    expect(await runModule("aws.mjs", source)).toEqual(["ERR_MODULE_NOT_FOUND", true, true]);
    for (const file of globSync("dist/lib/{survey-api,events}/**/*.js", { cwd: consumer.installed })) {
      expect(readFileSync(join(consumer.installed, file), "utf8")).not.toMatch(/["']@?aws-/);
    }
  });

  it("refuses deep imports", async () => {
    const source = `
      const deep = ["survey-poller", "survey-poller/dist/lib/survey-api/client.js", "survey-poller/survey-api/errors.js", "survey-poller/package.json"];
      const code = (name) => import(name).then(() => "loaded", ({ code }) => code);
      console.log(JSON.stringify(await Promise.all(deep.map(code))));
    `;
    expect(await runModule("deep.mjs", source)).toEqual(
      Array.from({ length: 4 }, () => "ERR_PACKAGE_PATH_NOT_EXPORTED"),
    );
  });

  it("is typed, with its declarations checked as strictly as one may", async () => {
    const source = `
      import { createSurveyApi, type JoinedResponse, NotFoundError, type SurveyApi } from "survey-poller/survey-api";
      import { type ResponseCompleted, responseCompleted } from "survey-poller/events";

      export const api: SurveyApi = createSurveyApi({ baseUrl: "https://surveys.example.com", credentials: { clientId: "a", clientSecret: "b" } });
      export async function newest(): Promise<JoinedResponse | undefined> {
        for await (const response of api.responses(7, { order: "desc" })) return response;
        return undefined;
      }
      export const completed = (detail: unknown): ResponseCompleted => responseCompleted.parse(detail);
      export const isGone = (error: unknown): boolean => error instanceof NotFoundError && error.status === 404;
      // @ts-expect-error: not an order
      export const wrong = api.records(7, { order: "up" });
    `;
    writeFileSync(join(consumer.cwd, "typed.ts"), source);
    writeFileSync(join(consumer.cwd, "package.json"), '{ "type": "module", "private": true }');
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      target: "es2024",
      lib: ["es2024"],
      types: ["node"],
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(consumer.cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["typed.ts"] }));
    const checked = run(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: consumer.cwd });
    await expect(checked).resolves.toMatchObject({ stdout: "" });

    // What is wrong does fail.
    writeFileSync(join(consumer.cwd, "typed.ts"), source.replace("// @ts-expect-error: not an order", ""));
    await expect(run(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: consumer.cwd })).rejects.toMatchObject({
      stdout: expect.stringContaining("typed.ts"),
    });
  });
});
