import { expect, it } from "vitest";
import { replayAnswer } from "../../../cli/verbs/replay/answer.ts";
import { answerOf, polledFolder, survey } from "../support/command.ts";
import { delivered, inAws, QUEUE_TAKES_ALL, subscribe } from "../support/consumer.ts";

it("without an archive sends what was emitted in a stretch of time once more, from the ledger", async () => {
  const { data, simulator } = await polledFolder({
    surveys: [
      { surveyId: 7, responses: 6 },
      { surveyId: 8, responses: 3 },
    ],
    ...QUEUE_TAKES_ALL,
  });
  await subscribe(data, "crm");
  const ids = simulator.truth(7).map(({ responseId }) => responseId);
  const before = await inAws(data, ({ state }) => state.entries(7, ids));
  // One of them was emitted long before.
  const [old = 0, ...recent] = ids;
  const entry = before.get(old);
  if (entry === undefined) throw new Error("no entry");
  await inAws(data, ({ state }) => state.putEntries(7, [{ ...entry, emittedAt: Date.UTC(2020, 0, 1) }]));
  const line = ["replay", "--data", data, "--from", "2020-01-02", "--survey", "7"];

  const planned = answerOf(await survey([...line, "--json"]), replayAnswer);
  expect(planned).toMatchObject({ dryRun: true, by: "ledger", events: 5, sentence: "Would send 5 events again." });
  expect(await delivered(data, "crm")).toEqual([]);

  const ran = await survey([...line, "--yes"]);
  expect(ran).toMatchObject({ code: 0, stdout: "Sent 5 events again.\n" });
  const events = await delivered(data, "crm", 5);
  expect(events.map(({ detail }) => detail.data.responseId).sort((a, b) => a - b)).toEqual(recent);
  expect(new Set(events.map(({ detail }) => detail.meta.origin))).toEqual(new Set(["replay"]));

  const rule = await survey([...line, "--rule", "crm"]);
  expect(rule).toMatchObject({ code: 2, stdout: "" });
  expect(rule.stderr).toContain("An archive replays all surveys");
  const noArchive = await survey(["replay", "--data", data, "--from", "2020-01-02", "--rule", "crm"]);
  expect(noArchive.stderr).toContain("has no archive: what is sent again goes to the bus, where every rule gets it.");
  expect((await survey(["replay", "--data", data, "--cancel", "again-1"])).stderr).toContain("has no archive");
}, 90_000);

it.each([
  [[], "Give --from 2026-11-21T08:00:00Z"],
  [["--watch"], "Give --from 2026-11-21T08:00:00Z"],
  [["--from", "2026-11-21", "--watch", "again-1"], "Give the name of a new one as --name"],
  [["--from", "2026-11-21", "--cancel", "again-1"], "--cancel stands alone"],
  [["--from", "2026-11-21", "--name", "hunter 2"], "--name is no name of a replay"],
  [["--from", "2999-01-01"], "--from is after --to"],
])("%j is called wrongly", async (args, said) => {
  const ran = await survey(["replay", "--data", "nowhere", ...args]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(said);
});
