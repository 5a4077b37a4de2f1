import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ExplainAnswer } from "../../../../cli/verbs/explain/answer.ts";
import { type Simulator, startSimulator } from "../../../../local/simulator/index.ts";
import { answerOf, poll, survey } from "../../support/command.ts";

const data = mkdtempSync(join(tmpdir(), "survey-poller-explain-"));
let simulator: Simulator;
let polled: Promise<void> | undefined;

/** Some ticks, made once for the tests of this file. */
async function ready(): Promise<void> {
  polled ??= poll({ data, simulator }, ["--time-zone", "UTC"]);
  await polled;
}

beforeAll(async () => {
  const surveys = [
    { surveyId: 7, responses: 30 },
    { surveyId: 8, responses: 4 },
  ];
  simulator = await startSimulator({ surveys, settings: { crk: "all" } });
});

afterAll(async () => {
  await simulator.close();
  rmSync(data, { recursive: true, force: true });
});

it("tells the story of a response by its id, from the ledger and the log of the data folder", async () => {
  await ready();
  const { responseId = 0, records } = simulator.truth(7).at(-1) ?? {};

  const ran = await survey(["explain", `${responseId}`, "--data", data]);

  expect(ran.code).toBe(0);
  expect(ran.stderr).toBe("");
  expect(ran.stdout).toMatch(/^● Emitted \d+ s ago\.$/m);
  expect(ran.stdout).toMatch(/Z +listed +page \d+ \((newest|oldest) first\), request \d+ of its run, by /);
  expect(ran.stdout).toMatch(/^ +proved +whole by its page$/m);
  expect(ran.stdout).toMatch(/Z +bus +published, with \d+ others, in \d+ ms$/m);
  expect(ran.stdout).toMatch(/Z +ledger +emitted, event [\w-]+, revision 1, written in \d+ ms$/m);
  expect(ran.stdout).toContain("Next: Nothing more is due.");
  const answer = answerOf<ExplainAnswer>(await survey(["explain", `${responseId}`, "--data", data, "--json"]));
  expect(answer).toMatchObject({
    surveyId: 7,
    responseId,
    verdict: "emitted",
    ledger: { state: "emitted", revision: 1, records: records?.length },
    survey: { listedByBooks: true },
    log: { lines: 1, note: null },
  });

  // Its lines are for the owner alone, and hold ids, times and words of the poller's own.
  const file = join(data, "log.ndjson");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toMatch(/"message":"event"/);
  writeFileSync(file, `${readFileSync(file, "utf8")}{"message":"event","resp`);
  expect((await survey(["explain", `${responseId}`, "--data", data])).stdout).toContain("by its page");
  rmSync(file);
  const bare = await survey(["explain", `${responseId}`, "--data", data]);
  expect(bare.code).toBe(0);
  expect(bare.stdout).toMatch(/^The log has no line of its event any more/m);

  const unknown = await survey(["explain", "999999", "--data", data]);
  expect(unknown.code).toBe(1);
  expect(unknown.stdout).toMatch(/^▲ Not known: none of 2 surveys has it in its ledger\.$/m);
  const never = await survey(["explain", "999999", "--survey", "7", "--data", data]);
  expect(never.code).toBe(1);
  expect(never.stdout).toMatch(/^▲ Never listed: no walk has met it up to the full pass of /m);
  expect(never.stdout).toContain(`survey-poller explain 999999 --survey 7 --ask --data ${data}`);
});

it("asks the service where it may: by id, and by a respondent's key, which is told to nobody", async () => {
  await ready();
  const before = simulator.counters();
  const absent = await survey(["explain", "999999", "--survey", "7", "--ask", "--data", data]);
  expect(absent.code).toBe(1);
  expect(absent.stdout).toMatch(/^▲ Not known: neither the ledger nor the service has such a response\.$/m);
  expect(Number(simulator.counters().response) - Number(before.response ?? 0)).toBe(1);

  const [responseId = 0] = simulator.complete(7);
  const known = await survey(["explain", `${responseId}`, "--survey", "7", "--ask", "--data", data, "--json"]);
  expect(known.code).toBe(3);
  expect(answerOf<ExplainAnswer>(known)).toMatchObject({
    verdict: "unknown",
    outlook: "coming",
    next: { what: expect.stringContaining("npm start") },
    steps: expect.arrayContaining([expect.objectContaining({ what: "asked" })]),
  });

  const { records: [record] = [], responseId: keyed } = simulator.truth(8)[0] ?? {};
  const crk = String(record?.crk);
  const found = await survey(["explain", "--crk", crk, "--data", data]);
  expect(found.code).toBe(0);
  expect(found.stdout).toContain(`Response ${keyed} of `);
  const none = await survey(["explain", "--crk", "someone else", "--data", data]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("the service has no such key in 2 of 2 surveys");
  for (const { stdout, stderr } of [found, none]) expect(stdout + stderr).not.toMatch(new RegExp(`${crk}|someone`));
  const log = readFileSync(join(data, "log.ndjson"), "utf8");
  expect(log).toContain('"message":"operation"');
  expect(log).not.toContain(crk);
});

it("is called wrongly without a response, with two ways to say which, or with what is no id", async () => {
  for (const [args, said] of [
    [[], "it is not said which response is meant"],
    [["5", "--crk", "secret"], "both an id and --crk are given"],
    [["secret"], "the response is not an id"],
    [["5", "--survey", "secret"], "--survey"],
  ] as const) {
    const ran = await survey(["explain", ...args, "--data", "/nowhere"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).not.toContain("secret");
  }
});
