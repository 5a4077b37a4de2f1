import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Parser } from "@asyncapi/parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractFiles } from "../../lib/events/generate/contract.ts";
import { type GoldenEvent, goldenEvents } from "../../lib/events/generate/golden.ts";
import { EVENT_TYPES } from "../../lib/events/index.ts";
import { assembleHere, writeModels } from "../examples/support/python-worker.ts";
import { titleOf } from "./title-of.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = await contractFiles();
const golden = await goldenEvents();
const scratch = mkdtempSync(join(tmpdir(), "survey-poller-contract-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (path: string): string => files.get(path) ?? "";
/** A text where a number belongs: who takes it takes anything. */
const spoilt = withData(golden.get("ordinary") as GoldenEvent, { surveyId: "one hundred" });

function withData({ detail, ...envelope }: GoldenEvent, changes: object): GoldenEvent {
  return { ...envelope, detail: { ...detail, data: { ...(detail.data as object), ...changes } } };
}

it("AsyncAPI is well-formed, and has a message for each event type", async () => {
  const { document, diagnostics } = await new Parser().parse(read("asyncapi.yaml"));
  expect(diagnostics).toEqual([]);
  const messages = document?.messages().all() ?? [];
  expect(messages.map((message) => message.name())).toEqual(expect.arrayContaining([...EVENT_TYPES]));
});

it("golden events can be assigned to their types in TypeScript, and a spoilt one cannot", () => {
  const folder = mkdtempSync(join(scratch, "typescript-"));
  writeFileSync(join(folder, "events.d.ts"), read("events.d.ts"));
  const options = { strict: true, noEmit: true, module: "nodenext", allowImportingTsExtensions: true, types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
  for (const [name, event] of [...golden, ["spoilt", spoilt] as const]) {
    const type = `events.${titleOf(event["detail-type"])}`;
    const source = `import type * as events from "./events.d.ts";
export const one: ${type} = ${JSON.stringify(event)};
export const any: events.SurveyPollerEvent = one;
`;
    writeFileSync(join(folder, `${name}.ts`), source);
  }
  const wrong = outputOf(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"]);
  expect(wrong.join("\n")).toMatch(/^.*spoilt\.ts.*one hundred|^.*spoilt\.ts.*'string'/);
  expect(wrong.filter((line) => line.includes(".ts(") && !line.includes("spoilt.ts"))).toEqual([]);
});

function outputOf(command: string, args: string[]): string[] {
  try {
    return execFileSync(command, args, { encoding: "utf8" }).split("\n");
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout).split("\n");
  }
}

describe("the models for pydantic", () => {
  const folder = join(scratch, "python");

  // With the pydantic of the example.
  beforeAll(() => assembleHere(folder, writeModels(scratch)), 180_000);

  /** What each event is after reading, or why it could not be read. */
  function readByModels(events: GoldenEvent[]): unknown[] {
    const input = events.map((event) => `${titleOf(event["detail-type"])}\t${JSON.stringify(event)}\n`).join("");
    const args = ["-S", join(import.meta.dirname, "read_events.py"), folder];
    const output = execFileSync("python3", args, { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    return output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  }

  it("read every golden event, and lose nothing of it", () => {
    const events = [...golden.values()].map((event) => JSON.parse(JSON.stringify(event)) as GoldenEvent);
    expect(readByModels(events)).toEqual(events);
  });

  it("refuse a text for a number, a count below 0, a missing field and another type's name", () => {
    const books = golden.get("books-closed") as GoldenEvent;
    const wrong: GoldenEvent[] = [
      spoilt,
      withData(books, { passes: -1 }),
      withData(books, { asOf: undefined }),
      { ...books, "detail-type": "response.completed" },
    ];
    const refused = readByModels(wrong);
    expect(refused).toHaveLength(wrong.length);
    for (const answer of refused) expect(answer).toMatch(/^failed: /);
  });

  it("read any event by SurveyPollerEvent, by the names of Python", () => {
    const script = `import sys; sys.path.insert(0, sys.argv[1])
import survey_poller_events as models
event = models.SurveyPollerEvent.model_validate_json(sys.stdin.read()).root
print(type(event).__name__, event.detail.meta.event_id, event.detail.data.summary.nps.class_)`;
    const event = golden.get("detractor") as GoldenEvent;
    const printed = execFileSync("python3", ["-S", "-c", script, folder], {
      input: JSON.stringify(event),
      encoding: "utf8",
    });
    const { eventId } = event.detail.meta as { eventId: string };
    expect(printed).toBe(`ResponseCompletedEvent ${eventId} detractor\n`);
  });
});
