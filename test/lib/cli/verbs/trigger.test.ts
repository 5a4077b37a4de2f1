import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readGolden } from "../../../../lib/cli/package.ts";
import type { TriggerAnswer } from "../../../../lib/cli/verbs/trigger.ts";
import { KINDS, kinds, testEvent } from "../../../../lib/cli/verbs/trigger.ts";
import { detailSchemas, type ResponseCompleted, verifyBooks } from "../../../../lib/events/index.ts";
import { answerOf, survey } from "../support/command.ts";
import { useRunningFolder } from "../support/running-folder.ts";

const test = useRunningFolder();

const trigger = (...args: string[]) => survey(["trigger", "--data", test.folder.data, ...args]);
const written = () => {
  const counted = test.folder.aws.counters();
  return [counted["eventbridge:PutEvents"] ?? 0, counted["s3:PutObject"] ?? 0];
};

describe("a dry run", () => {
  it.each(["detractor", "large"])("shows %s, and changes nothing", async (kind) => {
    const before = written();

    const ran = await trigger(kind);

    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^To the bus surveys, event id [0-9a-f-]{36}:\n\{/);
    expect(ran.stdout).toContain('"test": true');
    expect(ran.stderr).toBe("Dry run: nothing was changed. Add --yes to do it.\n");
    const answer = answerOf<TriggerAnswer>(await trigger(kind, "--json"));
    expect(answer).toMatchObject({ dryRun: true, kind, bus: "surveys", source: "survey-poller" });
    expect(written()).toEqual(before);
    expect(test.folder.events).toEqual([]);
  });
});

describe("--yes", () => {
  it("sends the event, which rules of subscribers match, and says its id", async () => {
    const ran = await trigger("detractor", "--yes");

    const event = test.folder.events.at(-1);
    expect(event).toMatchObject({ source: "survey-poller", "detail-type": "response.completed" });
    expect(event?.detail).toMatchObject({ meta: { test: true, sourceName: "(test)" }, data: { responseId: 46375 } });
    const eventId = (event?.detail as ResponseCompleted | undefined)?.meta.eventId;
    expect(ran.stdout).toBe(`Sent response.completed (detractor), event id ${eventId}, to the bus surveys.\n`);
    expect(ran.code).toBe(0);
    const again = answerOf<TriggerAnswer>(await trigger("detractor", "--yes", "--json"));
    expect(again).toMatchObject({ dryRun: false, eventId });
  });

  it("says that a type is switched off", async () => {
    expect((await trigger("survey-changed")).stderr).toContain("survey.changed switched off");
  });
});

describe("every kind", () => {
  it("is of the contract, marked, and of an id that no event has had", () => {
    const golden = readdirSync(join(import.meta.dirname, "../../../../contract/golden"));
    expect(
      Object.values(KINDS)
        .map(([file]) => `${file}.json`)
        .sort(),
    ).toEqual(golden.sort());
    const ids = new Set<string>();
    for (const kind of kinds) {
      const { type, detail } = testEvent(kind);
      const { meta } = detailSchemas[type].parse(detail);
      expect(meta).toMatchObject({ test: true, sourceName: "(test)" });
      expect(meta.eventId).not.toBe(readGolden(KINDS[kind][0]).detail.meta.eventId);
      ids.add(meta.eventId);
      expect(testEvent(kind, "salt").detail.meta.eventId).not.toBe(meta.eventId);
    }
    expect(ids.size).toBe(kinds.length);
  });

  it("goes with the others: the update, the deletion and the books are about the same responses", () => {
    const id = (kind: "promoter" | "updated" | "detractor") => testEvent(kind).detail.meta.eventId;
    expect(testEvent("updated").detail.meta).toMatchObject({ replaces: id("promoter") });
    expect(testEvent("deleted").detail.data).toMatchObject({ lastEventId: id("updated") });
    const books = testEvent("books");
    if (books.type !== "books.closed") throw new Error("no books");
    expect(verifyBooks([id("updated"), id("detractor")], books.detail)).toEqual({ kind: "complete" });
  });
});
