import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { contractFiles } from "../../../../lib/events/generate/contract.ts";
import { goldenEvents } from "../../../../lib/events/generate/golden.ts";
import { bundle, mapSchemas, schemaFiles } from "../../../../lib/events/generate/schemas.ts";
import { EVENT_TYPES } from "../../../../lib/events/index.ts";
import type { JsonSchema } from "../../../../lib/events/json-schema.ts";
import { titleOf } from "../../../contract/title-of.ts";

const schema = bundle();
const names = Object.keys(schema.$defs);

describe("the schema of all events", () => {
  it("has a definition for each object, by a name of its own", () => {
    expect(names).toEqual(expect.arrayContaining(["Moment", "Answer", "Question", "Metric", "Score", "Metadata"]));
    expect(names).toEqual(expect.arrayContaining(["Survey", "Summary", "Nps", "AnswersRef", "BooksDigest", "Raw"]));
    for (const [name, definition] of Object.entries(schema.$defs)) {
      expect(definition).toMatchObject({ title: name, description: expect.stringMatching(/\w/) });
      // Generators would have to make up a name for an object within another one.
      mapSchemas({ properties: definition.properties }, (part) => {
        expect([name, part.type]).not.toEqual([name, "object"]);
        return part;
      });
    }
  });

  it("closes no list of words, and tells the known ones", () => {
    const lists: JsonSchema[] = [];
    mapSchemas(schema, (part) => {
      expect(part).not.toHaveProperty("enum");
      if ("x-extensible-enum" in part) lists.push(part);
      return part;
    });
    expect(lists.length).toBeGreaterThanOrEqual(6);
    for (const list of lists) expect(list).toMatchObject({ type: "string", examples: list["x-extensible-enum"] });
  });

  it("has nothing that a generator would take for a limit of its own: the bounds of a safe integer", () => {
    expect(JSON.stringify(schema)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });
});

describe("the published schemas", () => {
  it.each([...schemaFiles()])(
    "%s is taken by a strict validator with its defaults, which takes the events",
    async (_path, schema) => {
      const logged: unknown[] = [];
      const log = (...said: unknown[]): void => void logged.push(said);
      const validate = new Ajv2020({ logger: { log, warn: log, error: log } }).compile(schema);
      expect(logged).toEqual([]);
      for (const event of (await goldenEvents()).values()) {
        const isOwn = schema.anyOf !== undefined || schema.title === titleOf(event["detail-type"]);
        expect(validate(JSON.parse(JSON.stringify(event)))).toBe(isOwn);
      }
    },
  );
});

describe("the golden events", () => {
  it("are the same each time, of each type, and no two of them are one event", async () => {
    const golden = await goldenEvents();
    expect([...golden]).toEqual([...(await goldenEvents())]);
    const events = [...golden.values()];
    expect(new Set(events.map((event) => event["detail-type"]))).toEqual(new Set(EVENT_TYPES));
    expect(new Set(events.map(({ detail }) => (detail.meta as { eventId: string }).eventId)).size).toBe(events.length);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it("are those in contract/golden: npm run contract writes them", async () => {
    const kept = globSync("contract/golden/*.json").map((file) => [
      `golden/${basename(file)}`,
      readFileSync(file, "utf8"),
    ]);
    const made = [...(await contractFiles())].filter(([path]) => path.startsWith("golden/"));
    const events = [...(await goldenEvents())].map(([name, event]) => [`golden/${name}.json`, event]);
    expect(made.map(([path, text]) => [path, JSON.parse(text)])).toEqual(events);
    expect(kept.sort()).toEqual(made.sort());
  });
});
