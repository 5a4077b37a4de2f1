import { describe, expect, it } from "vitest";
import type { SurveyDefinition } from "../../../lib/events/build/definition.ts";
import type { SurveyService } from "../../../lib/polling/index.ts";
import { keepDefinitions } from "../../../lib/service/kept-definitions.ts";

const edition = (modified: string | null): SurveyDefinition => ({ modified, indexBase: 1, questions: {} });

function bucket() {
  const objects = new Map<string, unknown>();
  return {
    objects,
    get: async (key: string) => structuredClone(objects.get(key)),
    put: async (key: string, value: unknown) => void objects.set(key, structuredClone(value)),
  };
}

/** Gives definitions by way of a service that reads them so. */
function keptBy(...given: Parameters<typeof keepDefinitions>) {
  const keeping = keepDefinitions(...given);
  return (surveyId: number, modified: string | null, definition: SurveyService["definition"]) =>
    keeping({ definition } as SurveyService).definition(surveyId, modified);
}

/** Reads an edition, and counts. */
function reader(definition: SurveyDefinition) {
  const reads = { count: 0 };
  const read = async (): Promise<SurveyDefinition> => {
    reads.count += 1;
    return definition;
  };
  return { reads, read };
}

describe("definitions that are kept", () => {
  it("cost one request for each edition of a survey, in however many processes", async () => {
    const vault = bucket();
    const first = reader(edition("one"));
    const one = keptBy(vault, "main");
    for (let i = 0; i < 3; i += 1) expect(await one(7, "one", first.read)).toEqual(edition("one"));
    expect(await keptBy(vault, "main")(7, "one", first.read)).toEqual(edition("one"));
    expect(first.reads.count).toBe(1);
    const second = reader(edition("two"));
    expect(await one(7, "two", second.read)).toEqual(edition("two"));
    expect(await one(7, "one", first.read)).toEqual(edition("one"));
    expect([first.reads.count, second.reads.count]).toEqual([1, 1]);
  });

  it("are those of their own source and survey", async () => {
    const vault = bucket();
    const { read, reads } = reader(edition("one"));
    await keptBy(vault, "main")(7, "one", read);
    await keptBy(vault, "main")(8, "one", read);
    await keptBy(vault, "other")(7, "one", read);
    expect(reads.count).toBe(3);
    expect([...vault.objects.keys()].every((key) => key.startsWith("questions/2/"))).toBe(true);
  });

  it.each<[string, string | null, SurveyDefinition]>([
    ["of another edition than the list shows", "one", edition("two")],
    ["of which the list does not show an edition", null, edition("one")],
  ])("are read again %s", async (_name, modified, definition) => {
    const vault = bucket();
    const kept = keptBy(vault, "main");
    const { read, reads } = reader(definition);
    for (let i = 0; i < 2; i += 1) expect(await kept(7, modified, read)).toEqual(definition);
    expect(reads.count).toBe(2);
    expect(vault.objects.size).toBe(0);
  });

  it("are read where the bucket fails, and then held in memory", async () => {
    const fails = async (): Promise<never> => {
      throw new Error("no bucket");
    };
    const kept = keptBy({ get: fails, put: fails }, "main");
    const { read, reads } = reader(edition("one"));
    for (let i = 0; i < 2; i += 1) expect(await kept(7, "one", read)).toEqual(edition("one"));
    expect(reads.count).toBe(1);
  });

  it.each([null, {}, [], "gone"])("are read where %j lies in their place", async (odd) => {
    const vault = { get: async () => odd, put: async () => undefined };
    const { read, reads } = reader(edition("one"));
    expect(await keptBy(vault, "main")(7, "one", read)).toEqual(edition("one"));
    expect(reads.count).toBe(1);
  });

  it("are held as long as they have few questions, and then only the last one", async () => {
    const vault = bucket();
    const kept = keptBy(vault, "main");
    const question = { number: 1, type: "simple", text: "?", choices: [], others: [], isMatrix: false };
    const questions = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [i, question]));
    const large: SurveyDefinition = { ...edition("one"), questions };
    const { read } = reader(large);
    for (const id of [1, 2, 3, 4]) await kept(id, "one", read);
    vault.objects.clear();
    const again = reader(large);
    await kept(4, "one", again.read);
    expect(again.reads.count).toBe(0);
    await kept(1, "one", again.read);
    expect(again.reads.count).toBe(1);
  });
});
