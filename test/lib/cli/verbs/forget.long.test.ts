import { describe, expect, it } from "vitest";
import type { ForgetAnswer } from "../../../../lib/cli/verbs/forget/verb.ts";
import { answerOf, poll, survey, useFolder } from "../support/command.ts";
import { holdLease } from "../support/lease.ts";

/** A folder whose responses have all gone out, a large one among them, but for one that cannot be read. */
let large = 0;
let unreadable = 0;
const folder = useFolder({ surveys: [{ surveyId: 7, responses: 3 }] }, async (polled) => {
  const { simulator } = polled;
  [large = 0] = simulator.complete(7, 1, { records: 6, commentBytes: 60_000 });
  [unreadable = 0] = simulator.complete(7, 1, { records: 2, patch: { completed: "maybe" } });
  await poll(polled);
});
const run = (...args: string[]) => survey(["forget", ...args, "--data", folder.data]);
const answer = async (...args: string[]) => answerOf<ForgetAnswer>(await run(...args, "--json"));
const responseOf = async (...args: string[]) => (await answer(...args)).responses[0];
const NOTHING = { table: [], bucket: [] };

describe("forget", () => {
  it("without --yes lists all that is held, and changes nothing", async () => {
    const ran = await run(String(large));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("Dry run: nothing was changed. Add --yes to do it.\n");
    expect(ran.stdout).toMatch(/^Would be forgotten: response \d+ of Survey 7 \(7\), source main$/m);
    expect(ran.stdout).toMatch(/^ {2}table +its entry \(emitted\): .*digest/m);
    expect(ran.stdout).toMatch(/^ {2}bucket +\S+\/[\w-]{36}\/\w+\.json$/m);
    const first = await responseOf(String(large));
    expect(first).toMatchObject({ surveyId: 7, state: "emitted" });
    expect(first?.held.bucket).toHaveLength(1);
    expect(await responseOf(String(large))).toEqual(first);
  });

  it("with it leaves nothing but a bare entry, and a second time has nothing to do", async () => {
    const done = await answer(String(large), "--yes");
    const stays = { id: large, state: "emitted", reason: "forgotten", revision: 1 };
    expect(done).toMatchObject({ dryRun: false, responses: [{ stays }] });
    expect(done.elsewhere.map(({ where }) => where)).toEqual(
      expect.arrayContaining(["subscribers", "live pages", "the data folder"]),
    );

    expect(await responseOf(String(large), "--yes")).toMatchObject({ held: NOTHING, stays });
    expect((await run(String(large))).stdout).toMatch(/^Nothing more is held of response/);
  });

  it("settles one that has not gone out, which no later tick emits", async () => {
    const done = await answer(String(unreadable), "--yes");
    // Nobody knows whether the bus took its event before it was quarantined.
    expect(done.elsewhere.map(({ where }) => where)).toContain("subscribers");
    const stays = { id: unreadable, state: "before-start", reason: "forgotten" };
    expect(done.responses).toMatchObject([{ state: "quarantined", stays }]);

    await poll(folder);

    expect((await responseOf(String(unreadable)))?.held).toEqual(NOTHING);
    const books = await survey(["status", "--data", folder.data, "--json"]);
    expect(books.json).toMatchObject({ verdict: "complete", surveys: [{ unaccounted: 0, now: { quarantined: 0 } }] });
  });

  it("of a response that nobody has met writes nothing", async () => {
    const ran = await run("99999", "--yes");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Nothing is held of response 99999/);
    expect((await answer("99999")).responses).toEqual([]);
  });

  it("of a survey that is being polled is not done now: exit code 3, and nothing is changed", async () => {
    const id = folder.simulator.truth(7)[0]?.responseId;
    const release = await holdLease(folder, 7);
    const ran = await run(String(id), "--yes");
    await release();
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("is being polled just now, and nothing was forgotten");
    expect(ran.stderr).toContain(`Next: survey-poller forget ${id} --survey 7 --source main --yes`);
    expect((await responseOf(String(id)))?.held.table).toContain("digest");
  });

  it.each([
    [["5", "--survey", "9"], "knows no survey 9"],
    [["5", "--source", "other"], "Its sources: main."],
  ])("called wrongly: %j", async (args, said) => {
    const ran = await run(...args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(said);
  });
});
