import { expect, it } from "vitest";
import { readSource } from "../../../../lib/cli/target/surveys.ts";
import type { BackfillAnswer } from "../../../../lib/cli/verbs/backfill.ts";
import { eventId } from "../../../../lib/events/index.ts";
import { answerOf, type Folder, polledFolder, survey } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";

/** Event ids of the responses of survey 7 that the ledger has as emitted, by response. */
async function emitted({ data, simulator }: Folder): Promise<Map<number, string>> {
  const ids = simulator.truth(7).map(({ responseId }) => responseId);
  const entries = await inAws(data, ({ state }) => state.entries(7, ids));
  return new Map(
    [...entries].flatMap(([id, { state, eventId: own = "" }]) => (state === "emitted" ? [[Number(id), own]] : [])),
  );
}

it("counts in its dry run, emits exactly these with their own ids, and nothing twice", async () => {
  const folder = await polledFolder({ surveys: [{ surveyId: 7, responses: 60 }] }, ["--start-from", "now"]);
  const { data, simulator } = folder;
  const dateOf = (records: object[]): string => String((records[0] as { dateCompleted: unknown }).dateCompleted);
  const all = simulator.truth(7).map(({ responseId, records }) => ({ responseId, date: dateOf(records) }));
  const dates = all.map(({ date }) => date).sort();
  const [from = "", to = ""] = [dates[10], dates[39]];
  const wanted = all.flatMap(({ responseId, date }) => (date >= from && date <= to ? [responseId] : []));
  const line = ["backfill", "--survey", "7", "--from", from, "--to", to, "--data", data];

  const dry = answerOf<BackfillAnswer>(await survey([...line, "--json"]));
  expect(dry).toMatchObject({ dryRun: true, outcome: "to do", count: wanted.length, range: { from, to } });
  expect(new Set(dry.ids)).toEqual(new Set(wanted));
  expect(await emitted(folder)).toEqual(new Map());
  const text = await survey(line);
  expect(text.stdout).toContain(`Would emit ${wanted.length} responses of survey 7 completed from ${from} to ${to}`);
  expect(text.stderr).toMatch(/^Counting reads \d+ pages, about as many requests\.$/m);

  const ran = await survey([...line, "--yes", "--watch"]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Done: the backfill of survey 7") });
  const events = await emitted(folder);
  expect(events).toEqual(new Map(wanted.map((id) => [id, eventId("main", 7, id)])));

  expect(answerOf<BackfillAnswer>(await survey([...line, "--json"]))).toMatchObject({ count: 0, ids: [] });
  expect((await survey([...line, "--yes", "--watch"])).code).toBe(0);
  expect(await emitted(folder)).toEqual(events);
  const audit = await survey(["audit", "--now", "--yes", "--data", data]);
  expect(audit.stdout).toMatch(/books closed, 60 listed, 60 accounted for\.$/m);

  // Begun and left alone: it can be stopped, by a dry run first.
  const more = ["--from", "2000-01-01", "--to", "2100-01-01"];
  const begun = await survey(["backfill", "--survey", "7", ...more, "--data", data, "--yes"]);
  expect(begun.stdout).toMatch(/^Started the backfill of survey 7/m);
  const stop = ["backfill", "--survey", "7", "--stop", "--data", data];
  expect((await survey(stop)).stdout).toMatch(/^Would stop the backfill of survey 7/m);
  expect(answerOf<BackfillAnswer>(await survey([...stop, "--yes", "--json"])).outcome).toBe("stopped");
  expect((await survey([...stop, "--yes"])).stdout).toBe("No backfill of survey 7 is under way.\n");
  await survey(["audit", "--yes", "--data", data]);
  expect(await emitted(folder)).toEqual(events);
  expect((await inAws(data, ({ target }) => readSource(target, "main"))).surveys[0]?.mark).toMatchObject({
    phase: { kind: "head" },
    books: { listed: 60, emitted: wanted.length, beforeStart: 60 - wanted.length },
  });
}, 60_000);
