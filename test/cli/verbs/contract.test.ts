import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contractAnswer, contractList } from "../../../cli/verbs/contract/answer.ts";
import { temporaryFolder } from "../../support/command.ts";
import { answerOf, survey } from "../support/command.ts";

const contract = (...args: string[]) => survey(["contract", ...args]);
const published = (path: string) => readFileSync(join(import.meta.dirname, "../../../contract", path), "utf8");

describe("a format", () => {
  it.each([
    ["schema", undefined, "json-schema/events.json"],
    ["schema", "books.closed", "json-schema/books.closed.json"],
    ["schema-draft-4", "response.updated", "json-schema/draft-4/response.updated.json"],
    ["asyncapi", undefined, "asyncapi.yaml"],
    ["ts", undefined, "events.d.ts"],
    ["pydantic", undefined, "python/survey_poller_events.py"],
    ["sample", undefined, "golden/ordinary.json"],
    ["sample", "response.completed", "golden/ordinary.json"],
    ["sample", "response.deleted", "golden/deleted.json"],
    ["sample", "detractor", "golden/detractor.json"],
  ])("%s of %s is printed as it is published", async (format, type, path) => {
    const ran = await contract("--format", format, ...(type === undefined ? [] : ["--type", type]));
    expect(ran).toMatchObject({ code: 0, stderr: "", stdout: published(path) });
  });

  it("is written to a file, and Java to a folder", async () => {
    const out = temporaryFolder();
    const schema = await contract("--format", "schema", "--out", join(out, "new", "events.json"));
    expect(schema).toMatchObject({ code: 0, stdout: "", stderr: `Written: 1 file to ${out}/new/events.json.\n` });
    expect(readFileSync(join(out, "new", "events.json"), "utf8")).toBe(published("json-schema/events.json"));

    const java = answerOf(await contract("--format", "java", "--out", join(out, "java"), "--json"), contractAnswer);
    expect(java.files.length).toBeGreaterThan(30);
    const one = "surveypoller/events/Answer.java";
    expect(readFileSync(join(out, "java", one), "utf8")).toBe(published(`java/${one}`));
  });

  it("is a document with --json", async () => {
    const { files } = answerOf(await contract("--format", "ts", "--json"), contractAnswer);
    expect(files).toMatchObject([{ format: "ts", type: null, path: "events.d.ts", text: published("events.d.ts") }]);
  });
});

it("lists what there is", async () => {
  const { stdout, code } = await contract("--list");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^schema +response\.deleted +json-schema\/response\.deleted\.json/m);
  expect(stdout).toMatch(/^java +all types +java\/ \(\d+ files\)/m);
  const { files } = answerOf(await contract("--list", "--json"), contractList);
  expect(files.find(({ path }) => path === "golden/books-closed.json")).toMatchObject({ type: "books.closed" });
});

it.each([
  [[], "--format is missing"],
  [["--format", "hunter2"], "has a value that cannot be used"],
  [["--format", "java"], "Give --out with a folder"],
  [["--format", "ts", "--type", "books.closed"], "has no --type"],
  [["--format", "schema", "--type", "hunter2"], "--type is unknown"],
  [["--format", "schema-draft-4"], "--type is missing"],
])("%j: exit code 2", async (args, said) => {
  const ran = await contract(...args);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(said);
  expect(ran.stderr).not.toContain("hunter2");
});

it("says where it cannot write", async () => {
  const ran = await contract("--format", "ts", "--out", "/dev/null/events.d.ts");
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toMatch(/could not be written \((EEXIST|ENOTDIR)\)/);
});
