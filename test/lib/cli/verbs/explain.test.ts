import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EventLogLine, type ExplainAnswer, explain, type Facts } from "../../../../lib/cli/verbs/explain/story.ts";
import { parseConfig } from "../../../../lib/config/index.ts";
import { type Books, FORGOTTEN, type LedgerEntry, NEW_SURVEY, newFullRead } from "../../../../lib/polling/index.ts";
import { FOREVER } from "../../../../lib/state/keys.ts";
import { at, HOUR, MINUTE, noon, SECOND } from "../../../support/survey.ts";
import { answerOf, survey, useFolder } from "../support/command.ts";

const surveys = [
  { surveyId: 7, responses: 30 },
  { surveyId: 8, responses: 4 },
];
const folder = useFolder({ surveys }, undefined, ["--time-zone", "UTC"]);
const { data } = folder;

it("tells the story of a response by its id, from the ledger and the log of the data folder", async () => {
  const { responseId = 0, records } = folder.simulator.truth(7).at(-1) ?? {};

  const ran = await survey(["explain", `${responseId}`, "--data", data]);

  expect(ran.code).toBe(0);
  expect(ran.stderr).toBe("");
  expect(ran.stdout).toMatch(/^● Emitted \d+ s ago\.$/m);
  expect(ran.stdout).toMatch(/Z +listed +page \d+ \((newest|oldest) first\), by /);
  expect(ran.stdout).toMatch(/^ +proved +whole by its page$/m);
  expect(ran.stdout).toMatch(/Z +bus +published, with \d+ others, in \d+ ms$/m);
  expect(ran.stdout).toMatch(/Z +ledger +emitted, event [\w-]+, revision 1, written in \d+ ms$/m);
  expect(ran.stdout).toContain("Next: Nothing more is due.");
  const answer = answerOf<ExplainAnswer>(await survey(["explain", `${responseId}`, "--data", data, "--json"]));
  expect(answer).toMatchObject({
    surveyId: 7,
    responseId,
    verdict: "emitted",
    ledger: { state: "emitted", revision: 1, count: records?.length },
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
  expect(bare.stdout).toMatch(/^No line of its event was found in the log/m);

  const unknown = await survey(["explain", "999999", "--data", data]);
  expect(unknown.code).toBe(1);
  expect(unknown.stdout).toMatch(/^▲ Not known: none of 2 surveys has it in its ledger\.$/m);
  const never = await survey(["explain", "999999", "--survey", "7", "--data", data]);
  expect(never.code).toBe(1);
  expect(never.stdout).toMatch(/^▲ Never listed: no reading has met it up to the full read of /m);
  expect(never.stdout).toContain(`survey-poller explain 999999 --survey 7 --source main --ask --data ${data}`);
});

it("asks the service where it may: by id, and by a respondent's key, which is told to nobody", async () => {
  const { simulator } = folder;
  const before = simulator.counters();
  const absent = await survey(["explain", "999999", "--survey", "7", "--ask", "--data", data]);
  expect(absent.code).toBe(1);
  expect(absent.stdout).toMatch(/^▲ Not known: neither the ledger nor the service has such a response\.$/m);
  expect(Number(simulator.counters().response) - Number(before.response ?? 0)).toBe(1);

  // While the service cannot answer, the ledger's story is told; where there is none, nothing is known now.
  const [first] = simulator.truth(7);
  const heal = simulator.fault({ kind: "status", status: 500, operation: "response" });
  const emitted = await survey(["explain", `${first?.responseId}`, "--survey", "7", "--ask", "--data", data]);
  expect(emitted).toMatchObject({ code: 0, stderr: expect.stringContaining("what follows is what the ledger has") });
  expect(await survey(["explain", "999999", "--survey", "7", "--ask", "--data", data])).toMatchObject({ code: 3 });
  heal();

  const [responseId = 0] = simulator.complete(7);
  const known = await survey(["explain", `${responseId}`, "--survey", "7", "--ask", "--data", data, "--json"]);
  expect(known.code).toBe(3);
  expect(answerOf<ExplainAnswer>(known)).toMatchObject({
    verdict: "unknown",
    outlook: "coming",
    next: { what: expect.stringContaining("npm start") },
    steps: expect.arrayContaining([expect.objectContaining({ what: "asked" })]),
  });

  const withKey = simulator.truth().find(({ records: [record] }) => typeof record?.crk === "string");
  const crk = String(withKey?.records[0]?.crk);
  const found = await survey(["explain", "--crk", crk, "--data", data]);
  expect(found.code).toBe(0);
  expect(found.stdout).toContain(`Response ${withKey?.responseId} of `);
  const none = await survey(["explain", "--crk", "someone else", "--data", data]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("the service has no such key in 2 of 2 surveys");
  for (const { stdout, stderr } of [found, none]) expect(stdout + stderr).not.toMatch(new RegExp(`${crk}|someone`));
  const log = readFileSync(join(data, "log.ndjson"), "utf8");
  expect(log).toContain('"message":"operation"');
  expect(log).not.toContain(crk);
});

const DAY = 24 * HOUR;

const [source] = parseConfig({ baseUrl: "https://s.example.com", timeZone: "UTC" }, { deployed: true }).sources;
const tally = { listed: 1, emitted: 1, beforeStart: 0, open: 0, waiting: 0, held: 0, quarantined: 0, refused: 0 };
const books: Books = {
  ...{ ...tally, startedAt: noon - HOUR, closedAt: noon - HOUR + MINUTE },
  ...{ gone: 0, changed: 0, repaired: 0, found: 0, deficit: null, passes: 2 },
};
const start = { from: "now", at: "2026-03-10 11:00:00" };

/** The story of response 2 of survey 1, which is read at its head and has closed books, polled a minute ago. */
function storyOf({ mark, account, ...more }: Partial<Facts>): ExplainAnswer {
  if (source === undefined) throw new Error("no source");
  return explain({
    ...{ source, surveyId: 1, id: 2, entry: undefined, isListed: undefined, log: [], looked: undefined },
    ...{ tellsDeleted: true, isStopped: false, flags: "--stack SurveyPoller", now: noon },
    mark: { ...NEW_SURVEY, phase: { kind: "head" }, books, ...mark },
    account: { start, lastTick: noon - MINUTE, ...account },
    ...more,
  });
}

/** What happened, without when and how. */
const whats = ({ steps }: ExplainAnswer): string[] => steps.map(({ what }) => what);
const details = ({ steps }: ExplainAnswer): string => steps.map(({ what, detail }) => `${what}: ${detail}`).join("\n");

const emitted: LedgerEntry = { id: 2, state: "emitted", eventId: "e1", revision: 1, emittedAt: noon };
const line: EventLogLine = {
  ...{ type: "response.completed", surveyId: 1, responseId: 2, eventId: "e1", revision: 1, origin: "head" },
  ...{ changed: undefined, detectedAt: noon, outcome: "published", code: undefined, batch: 1, at: noon, lag: 12_000 },
  ...{ ms: { metrics: 20, bus: 5, ledger: 7 }, listed: { page: 1, order: "desc", at: noon - SECOND } },
  ...{ proved: "its page", attempts: undefined },
};

it("a response that was emitted: from its completion to the ledger, each with its time", () => {
  const answer = storyOf({ entry: emitted, log: [{ ...line, attempts: 2 }] });

  expect(answer.steps[0]?.at).toBe(noon - 12 * SECOND);
  expect(details(answer)).toBe(
    [
      "completed: its event was made 12 s later",
      "listed: page 1 (newest first), by reading the head of the list",
      "proved: whole by its page",
      "details: metrics 20 ms, 2 attempts",
      "bus: published, alone, in 5 ms",
      "ledger: emitted, event e1, revision 1, written in 7 ms",
    ].join("\n"),
  );
  expect(answer).toMatchObject({ verdict: "emitted", outlook: "settled", sentence: "Emitted 0 s ago." });
  expect(answer.log).toEqual({ lines: 1, note: null });
  // Where the log no longer reaches back it is what the ledger has.
  expect(whats(storyOf({ entry: emitted }))).toEqual(["ledger"]);
});

const update: EventLogLine = { ...line, type: "response.updated", eventId: "e2", revision: 2, changed: ["answers"] };
const redrive = "survey-poller quarantine show 2 --survey 1 --source main --stack SurveyPoller";

it.each<[what: string, facts: Partial<Facts>, answer: object, sentence: string, said: string]>([
  [
    "that was updated",
    { entry: { ...emitted, eventId: "e2", revision: 2 }, log: [line, update] },
    { verdict: "emitted", outlook: "settled", ledger: { revision: 2 } },
    "Emitted 0 s ago, revision 2.",
    "updated: revision 2: answers changed; page 1 (newest first)",
  ],
  [
    "that reads otherwise by now",
    { entry: { ...emitted, next: { revision: 2, contents: "c" } } },
    { verdict: "emitted", outlook: "settled" },
    "it reads otherwise by now",
    "ledger: emitted",
  ],
  [
    "whose update the bus has refused",
    { entry: { ...emitted, refusedRevision: "TooLarge" } },
    { verdict: "refused", outlook: "person", next: { command: redrive } },
    "the bus has refused its update (TooLarge)",
    "refused: the bus has refused for good",
  ],
  [
    "that is listed no more",
    { entry: { ...emitted, gone: { since: noon - DAY } } },
    { verdict: "emitted", outlook: "settled" },
    "no longer listed",
    "gone: a full read no longer lists it",
  ],
  [
    "that is listed no more, as a second full read agrees",
    { entry: { ...emitted, gone: { since: noon - DAY, told: true } } },
    { verdict: "deleted", outlook: "settled", next: { command: null } },
    "Deleted: emitted 0 s ago",
    "subscribers were told by response.deleted",
  ],
  [
    "that is listed no more, where nobody is told",
    { entry: { ...emitted, gone: { since: noon - DAY } }, tellsDeleted: false, isListed: false },
    { verdict: "deleted", outlook: "settled" },
    "Deleted: emitted 0 s ago",
    "gone: a full read no longer lists it",
  ],
  [
    "whose ledger write failed: the next poll writes it first",
    { mark: { ...NEW_SURVEY, pending: [emitted] } },
    { verdict: "emitted", outlook: "coming" },
    "the ledger does not say so yet",
    "ledger: the bus has taken event e1",
  ],
  [
    "that is open",
    { entry: { id: 2, state: "open", firstSeen: noon - HOUR, nextCheck: noon + HOUR } },
    { verdict: "open", outlook: "coming", next: { at: noon + HOUR } },
    "not completed yet",
    "met: open since then at the latest\nopen: not completed",
  ],
  [
    "that waits for metrics; that a full read of before has not listed it says nothing",
    {
      entry: {
        ...{ id: 2, state: "waiting", reason: "metrics:absent", firstSeen: noon - MINUTE },
        ...{ nextCheck: noon + 5 * MINUTE, attempts: 1, origin: "head" },
      },
      isListed: false,
    },
    {
      ...{ verdict: "waiting", outlook: "coming", steps: [{ what: "met" }, { what: "waiting" }] },
      next: { at: noon + 5 * MINUTE, what: expect.stringContaining("still absent 1 min after it was met") },
    },
    "the service has no metrics of it yet",
    "; 1 attempt so far",
  ],
  [
    "that is held",
    { entry: { id: 2, state: "held", firstSeen: noon, nextCheck: noon + HOUR, attempts: 2 } },
    { verdict: "held", outlook: "coming", next: { at: noon + HOUR } },
    "nothing proves its contents",
    "; 2 attempts so far",
  ],
  [
    "that cannot be read",
    { entry: { id: 2, state: "quarantined", reason: "unreadable completed", nextCheck: noon + 30 * DAY } },
    { verdict: "quarantined", outlook: "person", next: { command: redrive } },
    "Quarantined: unreadable completed.",
    "kept until 2026-04-09 12:00:00Z",
  ],
  [
    "that the bus has refused",
    {
      entry: { id: 2, state: "refused", reason: "MalformedDetail" },
      log: [{ ...line, outcome: "refused", code: "MalformedDetail" }],
    },
    { verdict: "refused", outlook: "person", next: { command: redrive } },
    "refused its event for good (MalformedDetail)",
    "bus: refused (MalformedDetail), alone",
  ],
  [
    "that completed before a date",
    {
      entry: { id: 2, state: "before-start" },
      account: { start: { from: "2026-03-01", at: "2026-03-01 00:00:00" } },
    },
    { verdict: "before-start", outlook: "settled", ledger: { state: "before-start" } },
    "what completed before 2026-03-01 00:00:00 is history",
    "before the start",
  ],
  [
    "that completed before the poller began",
    { entry: { id: 2, state: "before-start" } },
    { verdict: "before-start", outlook: "settled" },
    "what completed up to 2026-03-10 11:00:00 is history",
    "before the start",
  ],
  [
    "that was forgotten",
    { entry: { id: 2, state: "before-start", reason: FORGOTTEN } },
    { verdict: "before-start", outlook: "settled", steps: [{ what: "forgotten", detail: "by an operator" }] },
    "Forgotten by an operator.",
    "",
  ],
])("a response %s", (_what, facts, wanted, sentence, said) => {
  const answer = storyOf(facts);
  expect(answer).toMatchObject(wanted);
  expect(answer.sentence).toContain(sentence);
  expect(details(answer)).toContain(said);
});

describe("history", () => {
  const backfill = { from: "2026-03-01 00:00:00", to: "2026-03-10 11:30:00" };
  const looked = { surveyId: 1, responseId: 2, isCompleted: true, records: 2 };
  const forgotten: LedgerEntry = { id: 2, state: "before-start", reason: FORGOTTEN };

  it.each<[what: string, facts: Partial<Facts>, outlook: string, says: string]>([
    ["that a backfill may ask for", {}, "coming", "2026-03-01 00:00:00 to 2026-03-10 11:30:00 is under way"],
    ["that it asks for", { looked: { ...looked, dateCompleted: at(-HOUR) } }, "coming", "is under way"],
    ["that it does not ask for", { looked: { ...looked, dateCompleted: at(-10 * MINUTE) } }, "settled", "is history"],
    ["of which an operator has had it forgotten", { entry: forgotten }, "settled", "Forgotten by an operator."],
  ])("%s", (_what, facts, outlook, says) => {
    const phase = { kind: "backlog", place: newFullRead(noon, { backfill }) } as const;
    const answer = storyOf({ entry: { id: 2, state: "before-start" }, mark: { ...NEW_SURVEY, phase }, ...facts });
    expect(answer).toMatchObject({ verdict: "before-start", outlook });
    expect(answer.sentence).toContain(says);
  });
});

describe("a response of which there is no item", () => {
  const looked = { surveyId: 1, responseId: 2, isCompleted: true, dateCompleted: at(0), records: 2 };
  const dated = (dateCompleted: string) => ({ looked: { ...looked, dateCompleted } });
  const unread = { isListed: undefined, hasBooks: false };
  const unlogged = { log: [], isListed: true };
  const audit = "survey-poller audit --survey 1 --source main --stack SurveyPoller";

  it.each<[what: string, facts: Partial<Facts> & { hasBooks?: boolean }, verdict: object, says: string]>([
    ["not met, and not every page was read", unread, { verdict: "unknown", outlook: "coming" }, "not every page"],
    [
      "neither known to the service",
      { looked: null },
      { verdict: "unknown", outlook: "unknown" },
      "neither the ledger",
    ],
    [
      "open at the service",
      { looked: { ...looked, isCompleted: false, dateCompleted: null } },
      { verdict: "open", outlook: "coming" },
      "not completed",
    ],
    ["on its way", { looked }, { verdict: "unknown", outlook: "coming" }, "no reading has met it so far"],
    [
      "completed before the books, which decide",
      { ...dated(at(-9 * HOUR)), isListed: undefined },
      { verdict: "unknown" },
      "is new, whatever its date",
    ],
    [
      "completed before the start, which decides",
      { ...dated(at(-9 * HOUR)), ...unread },
      { verdict: "before-start" },
      "",
    ],
    ["completed after the start, without books", { looked, ...unread }, { verdict: "unknown" }, "the start decides"],
    [
      "completed long before a full read that has not listed it",
      dated(at(-3 * DAY)),
      { verdict: "unknown", outlook: "person", next: { command: audit } },
      "has not listed it",
    ],
    [
      "listed by a full read",
      unlogged,
      { outlook: "person", next: { command: audit } },
      "Unaccounted: a full read has listed it",
    ],
    [
      "listed by a full read, and known to the service",
      { ...unlogged, ...dated(at(-HOUR)) },
      { verdict: "unknown", outlook: "person" },
      "Unaccounted: the service has it, completed 2026-03-10 11:00:00, and a full read",
    ],
  ])("%s", (_what, { hasBooks = true, ...facts }, verdict, says) => {
    const mark = { ...NEW_SURVEY, phase: { kind: "head" } as const, ...(hasBooks ? { books } : { books: undefined }) };
    const answer = storyOf({ isListed: false, mark, ...facts });
    expect(answer).toMatchObject(verdict);
    expect(answer.sentence).toContain(says);
  });

  it("whose event stands in the log is unaccounted for", () => {
    expect(storyOf({ log: [line], isListed: true })).toMatchObject({ outlook: "person" });
  });
});

it.each<[why: string, facts: Partial<Facts>, next: object]>([
  ["nobody polls", { isStopped: true }, { at: null, what: expect.stringContaining("npm start") }],
  ["no tick comes", { now: noon + 2 * HOUR }, { at: null, what: expect.stringContaining("nobody has polled for 2 h") }],
  [
    "the service asks to be left alone",
    { account: { pausedUntil: noon + 8 * DAY } },
    { at: noon + 8 * DAY, what: expect.stringContaining("the service of main asks") },
  ],
  [
    "an operator has paused it",
    { account: { pausedSince: noon, pausedUntil: FOREVER } },
    { at: null, what: expect.stringMatching(/Paused since 2026-03-10 12:00:00 UTC by an operator: source main\.$/) },
  ],
])("says why nothing happens next: %s", (_why, facts, next) => {
  expect(storyOf({ entry: { id: 2, state: "open" }, ...facts }).next).toMatchObject(next);
});
