import { describe, expect, it } from "vitest";
import type { ListAnswer, RedriveAnswer, ShowAnswer } from "../../../../lib/cli/verbs/quarantine.ts";
import { groupsOf, redriveText } from "../../../../lib/cli/verbs/quarantine.ts";
import { answerOf, poll, survey, useFolder } from "../support/command.ts";
import { holdLease } from "../support/folder-aws.ts";

/** A folder with a response and some records in survey 7 that cannot be read. */
let id = 0;
const surveys = [7, 8].map((surveyId) => ({ surveyId, responses: 3 }));
const folder = useFolder({ surveys }, async (polled) => {
  const { simulator } = polled;
  [id = 0] = simulator.complete(7, 1, { records: 2, patch: { completed: "maybe" } });
  simulator.complete(7, 1, { records: 1, patch: ({ responseId }) => ({ responseId: `no-${responseId}` }) });
  await poll(polled);
});
const run = (...args: string[]) => survey(["quarantine", ...args, "--data", folder.data]);

describe("quarantine list", () => {
  it("groups what is set aside by reason, with the command that mends it; exit code 0", async () => {
    const ran = await run("list");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^2 responses and records set aside; they are accounted for\.$/m);
    expect(ran.stdout).toMatch(/^▲ unreadable completed \(quarantined, source main\): 1, the oldest \d+ s ago$/m);
    expect(ran.stdout).toContain(`  Survey 7 (7): ${id}\n`);
    expect(ran.stdout).toContain(
      `Next: survey-poller quarantine redrive --all --reason 'unreadable completed' --source main --data ${folder.data}`,
    );
    expect(ran.stdout).toMatch(/Next: survey-poller quarantine show record-[\w-]+ --survey 7 --source main --reveal/);
  });

  it("says the same as JSON", async () => {
    const { total, groups } = answerOf<ListAnswer>(await run("list", "--json"));
    expect(total).toBe(2);
    const group = groups.find(({ reason }) => reason === "unreadable completed");
    expect(group).toMatchObject({ state: "quarantined", count: 1, kept: 1, surveys: [{ surveyId: 7, ids: [id] }] });
    // As long as `retention.quarantine` says.
    expect((group?.recordsGo ?? 0) - (group?.oldest ?? 0)).toBe(30 * 24 * 3_600_000);
  });

  it("may find nothing", async () => {
    expect(await run("list", "--survey", "8")).toMatchObject({ code: 0, stdout: "Nothing is set aside.\n" });
  });
});

describe("quarantine show", () => {
  it("shows what is kept without anything personal", async () => {
    const ran = await run("show", String(id));
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/records +kept in the table: 2, until \d{4}-\d\d-\d\d; the entry stays/);
    const shown = answerOf<ShowAnswer>(await run("show", String(id), "--json"));
    expect(shown).toMatchObject({ kept: "table", records: null, details: null });
  });

  it("shows it as it was read where that is asked for", async () => {
    const { records } = answerOf<ShowAnswer>(await run("show", String(id), "--reveal", "--json"));
    expect(records?.[0]).toMatchObject({ answer: expect.any(Array), comment: expect.any(String) });
  });

  it("shows also one that is not set aside, and says so; none at all is an error", async () => {
    const emitted = folder.simulator.truth(8)[0]?.responseId;
    const ran = await run("show", String(emitted));
    expect(ran.stdout).toMatch(/state +emitted/);
    const missing = await run("show", "999999");
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain(`Next: survey-poller quarantine list --data ${folder.data}`);
  });
});

describe("quarantine redrive", () => {
  it("without --yes says how many there are of each reason, and changes nothing", async () => {
    const before = (await run("list", "--json")).stdout;
    const ran = await run("redrive", "--all");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^2 responses and records would be tried:$/m);
    expect(ran.stdout).toMatch(/^ +1 +unreadable completed +quarantined +records of 1 kept$/m);
    expect(ran.stderr).toBe("Dry run: nothing was changed. Add --yes to do it.\n");
    expect(answerOf<RedriveAnswer>(await run("redrive", "--all", "--json"))).toMatchObject({ dryRun: true, total: 2 });
    expect((await run("list", "--json")).stdout).toBe(before);
  });

  it("with it says what was put back, and what is left and why: exit code 1 where no later redrive helps", async () => {
    const args = ["redrive", "--survey", "7", "8", "--reason", "unreadable completed", "--yes", "--json"];
    const ran = await run(...args);
    const answer = answerOf<RedriveAnswer>(ran);
    expect(answer.surveys).toMatchObject([{ surveyId: 7, outcome: "done", putBack: 0, left: { unreadable: 1 } }]);
    expect(ran.code).toBe(1);
    expect(redriveText(answer)[1]).toMatch(/1 cannot be read by this version either/);
  });

  it("of a survey that is being polled is no failure and not done either: exit code 3", async () => {
    const release = await holdLease(folder, 7);
    const ran = await run("redrive", "--all", "--yes");
    await release();
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain("It is being polled just now: try again in a minute.");
  });
});

it.each([
  ["busy", "try again in a minute"],
  ["unfinished", "run it again"],
  ["not polled", "take it in, deploy"],
  ["done", "2 responses put back: they go out at the next tick."],
] as const)("a redrive whose outcome is %s says what comes next", (outcome, said) => {
  const left = { unreadable: 0, withoutRecords: 0, beforeStart: 0, failed: 0 };
  const surveys = [{ surveyId: 7, name: null, putBack: 2, left, outcome }];
  expect(redriveText({ dryRun: false, source: "main", total: 2, groups: [], surveys }).join("\n")).toContain(said);
});

it("a refused update is told apart from a refused event", () => {
  const entry = { id: 1, state: "emitted" as const, refusedRevision: "TooLarge" };
  const [group] = groupsOf([{ source: "main", surveyId: 7, name: null, entry }], "--data x");
  expect(group).toMatchObject({ state: "emitted", reason: "TooLarge", kept: 0, oldest: null, recordsGo: null });
  expect(group?.next).toBe("survey-poller quarantine redrive --all --reason TooLarge --source main --data x");
});
