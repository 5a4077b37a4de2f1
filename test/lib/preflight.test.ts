import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const preflight = resolve(import.meta.dirname, "../../lib/preflight.mjs");

it("says nothing on the pinned Node", async () => {
  expect(await run(process.execPath, [preflight])).toEqual({ stdout: "", stderr: "" });
});

it("stops on any other with one line that says what to do", async () => {
  const other = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });
    await import(${JSON.stringify(preflight)});`;

  const failure: unknown = await run(process.execPath, ["--input-type=module", "-e", other]).catch((error) => error);

  expect(failure).toMatchObject({ code: 1, stdout: "" });
  expect((failure as { stderr: string }).stderr).toMatch(
    /^survey-poller needs Node 24 but runs on 20\.1\.0: run "npm ci" [^\n]+\n$/,
  );
});
