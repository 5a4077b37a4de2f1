import { spawnSync } from "node:child_process";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verbs } from "../../../lib/cli/verbs/index.ts";
import { startCommand, temporaryFolder } from "../../support/command.ts";
import { polledFolder, survey } from "./support/command.ts";

const names = verbs.map((make) => make(async () => {}).name());
const SUB_VERBS = ["quarantine list", "quarantine show", "quarantine redrive"];
const COMMAND = join(import.meta.dirname, "../../../lib/cli/bin/survey-poller.mjs");

describe("help", () => {
  it.each(["", ...names, ...SUB_VERBS])("of %j fits a screen and has an example", async (name) => {
    const { code, stdout } = await survey([...name.split(" "), "--help"].filter(Boolean));
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines.length).toBeLessThanOrEqual(name === "" ? 40 : 30);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
    if (name !== "") expect(stdout).toMatch(/Examples:\n {2}survey-poller /);
  });
});

it("a wrong call is told as JSON where that is asked for", async () => {
  const { code, json } = await survey(["status", "--nope", "--json"]);
  expect(code).toBe(2);
  expect(json).toMatchObject({ schemaVersion: 1, error: { code: "BAD_USAGE", next: null } });
});

describe("the data folder", () => {
  it("without a run is an error that says what to do", async () => {
    const ran = await survey(["status", "--data", temporaryFolder()]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("give the folder that npm start --data had.");
  });

  it("with a note of its run that cannot be read is mended by the next run", async () => {
    const data = temporaryFolder();
    writeFileSync(join(data, "run.json"), "{");
    const ran = await survey(["status", "--data", data]);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The next npm start on the folder mends it"),
    });
  });

  it("is shared with a run that is at work on it", async () => {
    const data = temporaryFolder();
    const demo = startCommand(["--data", data]);
    await demo.printed(/demo: polling/);
    await expect
      .poll(async () => (await survey(["status", "--data", data])).stdout, { timeout: 20_000 })
      .toMatch(/listed/);
    demo.kill("SIGINT");
    expect((await demo.done).code).toBe(0);
  });

  it("is shared by two commands at once", async () => {
    const { data } = await polledFolder({ surveys: [{ surveyId: 7, responses: 3 }] });
    const both = await Promise.all([survey(["status", "--data", data]), survey(["status", "--data", data])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
  });
});

it("the command as it is installed answers, and ends with its exit code", () => {
  const ran = spawnSync(process.execPath, [COMMAND, "status", "--data", temporaryFolder()], { encoding: "utf8" });
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(ran.stderr).toContain("there is no state in");
});

it.runIf(existsSync("/dev/full")).each(["--version", "status --help", "explain 1 --json"])(
  "%s to a full disk fails, and says so in one line",
  (line) => {
    const stdio = ["ignore", openSync("/dev/full", "w"), "pipe"] as const;
    const ran = spawnSync(process.execPath, [COMMAND, ...line.split(" ")], { encoding: "utf8", stdio: [...stdio] });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/^Standard output could not be written \(ENOSPC\)\. .*\n$/);
  },
);
