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

describe("forget", () => {
  it("without --yes lists all that is held, and changes nothing", async () => {
    const ran = await run(String(large));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("Dry run: nothing was changed. Add --yes to do it.\n");
    expect(ran.stdout).toMatch(/^Would be forgotten: response \d+ of Survey 7 \(7\), source main$/m);
    expect(ran.stdout).toMatch(/^ {2}table +its entry \(emitted\): .*digest/m);
    expect(ran.stdout).toMatch(/^ {2}bucket +\S+\/[\w-]{36}\/\w+\.json$/m);
    const first = await answer(String(large));
    expect(first).toMatchObject({ dryRun: true, surveyId: 7, state: "emitted" });
    expect(first.held.objects).toHaveLength(1);
    expect((await answer(String(large))).held).toEqual(first.held);
  });

  it("with it leaves nothing but a bare entry, and a second time has nothing to do", async () => {
    const done = await answer(String(large), "--yes");
    expect(done).toMatchObject({
      dryRun: false,
      stays: { id: large, state: "emitted", reason: "forgotten", revision: 1 },
    });
    expect(done.elsewhere.map(({ where }) => where)).toEqual(
      expect.arrayContaining(["subscribers", "live pages", "the data folder"]),
    );

    const again = await answer(String(large), "--yes");
    expect(again.held).toEqual({ entry: [], mark: [], objects: [] });
    expect(again.stays).toEqual(done.stays);
    expect((await run(String(large))).stdout).toMatch(/^Nothing more is held of response/);
  });

  it("settles one that has not gone out, which no later tick emits", async () => {
    const done = await answer(String(unreadable), "--yes");
    expect(done).toMatchObject({ state: "quarantined", held: { mark: [] } });
    // Nobody knows whether the bus took its event before it was quarantined.
    expect(done.elsewhere.map(({ where }) => where)).toContain("subscribers");
    expect(done.stays).toEqual({ id: unreadable, state: "before-start", reason: "forgotten" });

    await poll(folder);

    expect((await answer(String(unreadable))).held).toEqual({ entry: [], mark: [], objects: [] });
    const books = await survey(["status", "--data", folder.data, "--json"]);
    expect(books.json).toMatchObject({ verdict: "complete", surveys: [{ unaccounted: 0, now: { quarantined: 0 } }] });
  });

  it("of a response that nobody has met writes nothing", async () => {
    const ran = await run("99999", "--yes");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Nothing is held of response 99999/);
    expect(await answer("99999")).toMatchObject({ surveyId: null, stays: null });
  });

  it("of a survey that is being polled is not done now: exit code 3, and nothing is changed", async () => {
    const id = folder.simulator.truth(7)[0]?.responseId;
    const release = await holdLease(folder, 7);
    const ran = await run(String(id), "--yes");
    await release();
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("is being polled just now, and nothing was forgotten");
    expect(ran.stderr).toContain(`Next: survey-poller forget ${id} --survey 7 --source main --yes`);
    expect((await answer(String(id))).held.entry).toContain("digest");
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
