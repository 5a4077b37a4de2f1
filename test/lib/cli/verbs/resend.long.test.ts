import { join } from "node:path";
import { expect, it } from "vitest";
import type { ResendAnswer } from "../../../../lib/cli/verbs/resend.ts";
import { eventId } from "../../../../lib/events/index.ts";
import type { SimulatorOptions } from "../../../../lib/local/simulator/index.ts";
import { readEvents, temporaryFolder } from "../../../support/command.ts";
import { answerOf, poll, polledFolder, type Ran, survey } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";

/** What became of each response. */
function outcomes(ran: Ran): Record<number, string> {
  const { items } = answerOf<ResendAnswer>(ran);
  return Object.fromEntries(items.map(({ responseId, outcome }) => [responseId, outcome]));
}

/** A folder whose events go into a file, and those that have come into it since it was looked at last. */
async function folderWithEvents(settings: SimulatorOptions) {
  const file = join(temporaryFolder(), "events.jsonl");
  const folder = await polledFolder(settings, ["--events", file]);
  let seen = 0;
  const news = () => {
    const events = readEvents(file).slice(seen);
    seen += events.length;
    return events;
  };
  return { ...folder, news, file };
}

const ledger = (data: string, ids: number[]) => inAws(data, ({ state }) => state.entries(7, ids));

it("sends the same event once more, and nothing under the id of an event that has other contents", async () => {
  const { data, simulator, news } = await folderWithEvents({ surveys: [{ surveyId: 7, responses: 30 }] });
  const originals = news();
  const [same, edited, removed] = originals.map(({ detail }) => detail);
  if (same === undefined || edited === undefined || removed === undefined) throw new Error("no events");
  const ids = [same, edited, removed].map(({ data: { responseId } }) => responseId);
  const before = await ledger(data, ids);
  simulator.edit(7, edited.data.responseId);
  simulator.remove(7, removed.data.responseId);
  const line = ["resend", ...[same, edited, removed].map(({ meta }) => meta.eventId), "--data", data];

  const planned = await survey(line);
  expect(planned.stderr).toContain("Dry run: nothing was changed.");
  expect(planned.stdout).toMatch(/^Would send 3 events again\.$/m);
  expect(planned.code).toBe(0);
  expect(news()).toEqual([]);

  const ran = await survey([...line, "--yes", "--json"]);
  expect(outcomes(ran)).toEqual({
    [same.data.responseId]: "sent",
    [edited.data.responseId]: "changed",
    [removed.data.responseId]: "gone",
  });
  expect(ran).toMatchObject({ code: 1, json: { dryRun: false, events: 1 } });
  const [event, ...others] = news();
  expect(others).toEqual([]);
  const emittedAt = before.get(same.data.responseId)?.emittedAt ?? 0;
  expect(event?.detail).toEqual({
    meta: { ...same.meta, origin: "replay", detectedAt: new Date(emittedAt).toISOString() },
    data: same.data,
  });
  expect(await ledger(data, ids)).toEqual(before);

  const { stdout } = await survey([...line, "--yes"]);
  expect(stdout).toContain("not sent: it has changed since its event");
  expect(stdout).toContain("not sent: gone at the service.");
}, 60_000);

it("finds responses on the pages of the list, also at their edges, where operation 9 does not answer", async () => {
  const folder = await folderWithEvents({ surveys: [{ surveyId: 7 }] });
  const { data, simulator, news } = folder;
  simulator.fault({ kind: "status", status: 500, operation: "response" });
  const ids = simulator.complete(7, 90);
  await poll(folder, ["--events", folder.file]);
  news();
  const [removed = 0, ...others] = ids;
  simulator.remove(7, removed);

  const known = await ledger(data, ids);
  const emitted = others.filter((id) => known.get(id)?.state === "emitted");

  const line = ["resend", ...[removed, ...emitted].map((id) => eventId("main", 7, id)), "--data", data];
  const ran = await survey([...line, "--yes", "--json"]);

  expect(emitted.length).toBeGreaterThan(80);
  const found = outcomes(ran);
  expect(found[removed]).toBe("gone");
  expect(emitted.filter((id) => found[id] !== "sent")).toEqual([]);
  const events = news();
  expect(events.map(({ detail }) => detail.data.responseId).sort((a, b) => a - b)).toEqual(emitted);
  for (const { detail } of events) {
    const { records = [] } = simulator.truthOf(7, detail.data.responseId) ?? {};
    expect(detail.data.answers).toHaveLength(records.length);
  }
}, 60_000);

it("says which ids no ledger has", async () => {
  const { data } = await polledFolder({ surveys: [{ surveyId: 7, responses: 2 }] });
  const id = "6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3";

  const unknown = await survey(["resend", id, "--data", data]);
  expect(unknown.code).toBe(1);
  expect(unknown.stdout).toContain(`${id}  not sent: no ledger has this id`);
  const elsewhere = await survey(["resend", id, "--survey", "8", "--data", data]);
  expect(elsewhere).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("knows no survey 8") });
}, 60_000);

it("sends what was emitted in a stretch of time", async () => {
  const surveys = [7, 8].map((surveyId) => ({ surveyId, responses: 6 }));
  const { data, simulator, news } = await folderWithEvents({ surveys });
  news();
  const ids = simulator.truth(7).map(({ responseId }) => responseId);
  // One of them was emitted long before.
  const [old = 0, ...recent] = ids;
  const entry = (await ledger(data, ids)).get(old);
  if (entry === undefined) throw new Error("no entry");
  await inAws(data, ({ state }) => state.putEntries(7, [{ ...entry, emittedAt: Date.UTC(2020, 0, 1) }]));
  const line = ["resend", "--data", data, "--from", "2020-01-02", "--survey", "7"];

  const planned = answerOf<ResendAnswer>(await survey([...line, "--json"]));
  expect(planned).toMatchObject({ dryRun: true, events: 5, sentence: "Would send 5 events again." });
  expect(news()).toEqual([]);

  const ran = await survey([...line, "--yes"]);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^Sent 5 events again\.$/m);
  const events = news();
  expect(events.map(({ detail }) => detail.data.responseId).sort((a, b) => a - b)).toEqual(recent);
  expect(new Set(events.map(({ detail }) => detail.meta.origin))).toEqual(new Set(["replay"]));
}, 90_000);
