/**
 * Holds `contract/` against the schemas that it is generated from, and its golden events against everything that was generated: JSON Schema,
 * AsyncAPI, TypeScript, Python, Java, and what was released before. Needs python3 with venv, Maven and Java 17.
 *
 * Usage: node test/contract/run.ts
 */

import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Parser } from "@asyncapi/parser";
import { incompatibilities, invalidEvents } from "../../codegen/compatibility.ts";
import { contractFiles } from "../../codegen/contract.ts";
import { pythonFiles } from "../../codegen/python/models.ts";
import { readContract } from "../../codegen/read-contract.ts";
import { type Events, javaReader, pythonReader, type Reader, typescriptReader } from "./readers.ts";

const CONTRACT = join(import.meta.dirname, "../../contract");
const scratch = mkdtempSync(join(tmpdir(), "survey-poller-contract-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));

let [passed, failed] = [0, 0];
function check(what: string, problems: readonly string[]): void {
  if (problems.length === 0) passed += 1;
  else failed += 1;
  for (const problem of problems) console.log(`${what}: ${problem}`);
}

const current = readContract(CONTRACT);
const golden = current.golden;
const spoilt: Events = new Map([["spoilt", spoil(golden.get("ordinary"))]]);

/** The event with a text where a number belongs: who takes it takes anything. */
function spoil(event: unknown): { "detail-type": string } & Record<string, unknown> {
  const { detail, ...envelope } = structuredClone(event) as { "detail-type": string; detail: { data: object } };
  return { ...envelope, detail: { ...detail, data: { ...detail.data, surveyId: "one hundred" } } };
}

function readsAll(what: string, reader: Reader, events: Events = golden): void {
  const problems = reader(events);
  for (const name of events.keys()) check(`${what}, ${name}`, [problems.get(name) ?? []].flat());
  for (const [name, problem] of problems) if (!events.has(name)) check(`${what}, ${name}`, [problem]);
  check(`${what}, a spoilt event`, reader(spoilt).has("spoilt") ? [] : ["it was taken"]);
}

function started(what: string): void {
  console.log(`${(performance.now() / 1000).toFixed(1).padStart(5)} s  ${what}`);
}

started("contract/ is what is generated");
const generated = new Map([...(await contractFiles()), ...pythonFiles()]);
for (const [path, text] of generated) check(path, differs(path, text));
const kept = globSync("**/*.*", { cwd: CONTRACT, exclude: ["released/**"] });
check(
  "contract/",
  kept.filter((path) => !generated.has(path)).map((path) => `${path} is not generated`),
);

/** `minimal: /detail must be object`, in two. */
function byName(problem: string): [string, string] {
  const [name = "", ...why] = problem.split(": ");
  return [name, why.join(": ")];
}

function differs(path: string, text: string): string[] {
  try {
    return readFileSync(join(CONTRACT, path), "utf8") === text ? [] : ["changed: npm run contract, contract:python"];
  } catch {
    return ["not there: npm run contract, contract:python"];
  }
}

started("JSON Schema");
for (const folder of ["json-schema", "json-schema/draft-4"]) {
  const { schemas } = readContract(CONTRACT, folder);
  const types = new Set([...golden.values()].map((event) => event["detail-type"]));
  check(
    `${folder}: a schema for each event`,
    [...types].filter((type) => !schemas.has(type)),
  );
  readsAll(folder, (events) => new Map(invalidEvents(events, schemas).map(byName)));
}

started("AsyncAPI");
const { document, diagnostics } = await new Parser().parse(readFileSync(join(CONTRACT, "asyncapi.yaml"), "utf8"));
check(
  "asyncapi.yaml",
  diagnostics.map(({ message, path }) => `${path.join(".")}: ${message}`),
);
const messages =
  document
    ?.messages()
    .all()
    .map((message) => message.name()) ?? [];
check(
  "asyncapi.yaml: its messages",
  [...current.schemas.keys()].filter((type) => !messages.includes(type)),
);

started("TypeScript");
readsAll("events.d.ts", typescriptReader(join(CONTRACT, "events.d.ts"), join(scratch, "typescript")));

started("Python");
readsAll("Python", pythonReader(join(CONTRACT, "python")));

started("Java");
readsAll("Java", javaReader(join(CONTRACT, "java"), join(scratch, "java")));

const versions = globSync("*", { cwd: join(CONTRACT, "released") }).sort();
check("contract/released", versions.length > 0 ? [] : ["nothing to hold the contract against"]);
for (const version of versions) {
  started(`released ${version}`);
  const folder = join(CONTRACT, "released", version);
  check(`released ${version}`, incompatibilities(readContract(folder), current));
  readsAll(`released ${version}`, typescriptReader(join(folder, "events.d.ts"), join(scratch, version)));
}

started("done");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
