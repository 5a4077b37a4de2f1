import { execFileSync } from "node:child_process";
import { globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import type { Heard } from "../../../lib/cli/hearing/event.ts";
import { handlerFor, LANGUAGES } from "../../../lib/console/page/code.ts";
import { temporaryFolder } from "../../support/command.ts";

const ROOT = join(import.meta.dirname, "../../..");
const golden = globSync(join(ROOT, "contract/golden/*.json"));

it("compiles in TypeScript for every event of the contract", () => {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const file of golden) {
    const text = handlerFor("TypeScript", JSON.parse(readFileSync(file, "utf8")) as Heard);
    writeFileSync(join(folder, `${basename(file, ".json")}.ts`), text);
  }
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: "esnext", module: "nodenext", allowImportingTsExtensions: true },
    ...{ types: ["node", "aws-lambda"], skipLibCheck: true },
    paths: { "survey-poller/events": [join(ROOT, "lib/events/index.ts")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));

  const run = (): string => execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });

  expect(run).not.toThrow();
  expect(golden.length).toBeGreaterThan(10);
});

it("asks for what is particular about the event, and keeps a survey's name within its comment", () => {
  const name = "Feedback\nprocess.exit(1) \u2028 \\u000a System.exit(1)";
  const data = { surveyId: 103, survey: { name }, summary: { nps: { score: 2, class: "detractor" } } };
  const event = { "detail-type": "response.completed", detail: { data } };

  for (const language of LANGUAGES) {
    const text = handlerFor(language, event as Heard);
    for (const particular of ["103", "detractor", "eventId"]) expect(text).toContain(particular);
    const lines = text.split(/[\n\r\u2028]/);
    expect(lines.filter((line) => line.includes("exit(1)"))).toEqual([
      expect.stringMatching(/^ *(\/\/|#) Feedback process\.exit\(1\) {1,3}\/u000a System\.exit\(1\)$/),
    ]);
  }
});
