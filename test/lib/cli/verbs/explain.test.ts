import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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
  const nowhere = await survey(["explain", "999999", "--survey", "999", "--data", data]);
  expect(nowhere).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("knows no survey 999") });
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
const forgotten: LedgerEntry = { id: 2, state: "before-start", reason: FORGOTTEN };
const history: Partial<Facts> = { entry: { id: 2, state: "before-start" } };
const backfill = { from: "2026-03-01 00:00:00", to: "2026-03-10 11:30:00" };
const backfilled = { ...NEW_SURVEY, phase: { kind: "backlog", place: newFullRead(noon, { backfill }) } } as const;
const unread = { ...NEW_SURVEY, phase: { kind: "head" }, books: undefined } as unknown as Facts["mark"];
const looked = { surveyId: 1, responseId: 2, isCompleted: true, dateCompleted: at(0), records: 2 };
const redrive = "survey-poller quarantine show 2 --survey 1 --source main --stack SurveyPoller";

const audit = "survey-poller audit --survey 1 --source main --stack SurveyPoller";

/** What is told of a response: where it stands, in which words, and by which steps. */
interface Told {
  facts: Partial<Facts>;
  /** Verdict and outlook. */
  is: string;
  says: string;
  shows?: string;
  next?: object;
}

const toldOf: Record<string, Told> = {
  "was updated": {
    facts: { entry: { ...emitted, eventId: "e2", revision: 2 }, log: [line, update] },
    ...{ is: "emitted settled", says: "Emitted 0 s ago, revision 2." },
    shows: "updated: revision 2: answers changed; page 1 (newest first)",
  },
  "reads otherwise by now": {
    facts: { entry: { ...emitted, next: { revision: 2, contents: "c" } } },
    ...{ is: "emitted settled", says: "it reads otherwise by now", shows: "ledger: emitted" },
  },
  "has an update that the bus has refused": {
    facts: { entry: { ...emitted, refusedRevision: "TooLarge" } },
    ...{ is: "refused person", says: "the bus has refused its update (TooLarge)", next: { command: redrive } },
    shows: "refused: the bus has refused for good",
  },
  "is listed no more": {
    facts: { entry: { ...emitted, gone: { since: noon - DAY } } },
    ...{ is: "emitted settled", says: "no longer listed", shows: "gone: a full read no longer lists it" },
  },
  "is listed no more, as a second full read agrees": {
    facts: { entry: { ...emitted, gone: { since: noon - DAY, told: true } } },
    ...{ is: "deleted settled", says: "Deleted: emitted 0 s ago", next: { command: null } },
    shows: "subscribers were told by response.deleted",
  },
  "is listed no more, where nobody is told": {
    facts: { entry: { ...emitted, gone: { since: noon - DAY } }, tellsDeleted: false, isListed: false },
    ...{ is: "deleted settled", says: "Deleted: emitted 0 s ago", shows: "gone: a full read no longer lists it" },
  },
  "could not be written into the ledger: the next poll writes it first": {
    facts: { mark: { ...NEW_SURVEY, pending: [emitted] } },
    ...{ is: "emitted coming", says: "the ledger does not say so yet", shows: "ledger: the bus has taken event e1" },
  },
  "is open": {
    facts: { entry: { id: 2, state: "open", firstSeen: noon - HOUR, nextCheck: noon + HOUR } },
    ...{ is: "open coming", says: "not completed yet", next: { at: noon + HOUR } },
    shows: "met: open since then at the latest\nopen: not completed",
  },
  "waits for metrics": {
    facts: {
      entry: {
        ...{ id: 2, state: "waiting", reason: "metrics:absent", firstSeen: noon - MINUTE },
        ...{ nextCheck: noon + 5 * MINUTE, attempts: 1, origin: "head" },
      },
      isListed: false,
    },
    ...{ is: "waiting coming", says: "the service has no metrics of it yet" },
    shows: "; 1 attempt so far",
    next: { at: noon + 5 * MINUTE, what: expect.stringContaining("still absent 1 min after it was met") },
  },
  "is held": {
    facts: { entry: { id: 2, state: "held", firstSeen: noon, nextCheck: noon + HOUR, attempts: 2 } },
    ...{ is: "held coming", says: "nothing proves its contents", shows: "; 2 attempts so far" },
    next: { at: noon + HOUR },
  },
  "cannot be read": {
    facts: { entry: { id: 2, state: "quarantined", reason: "unreadable completed", nextCheck: noon + 30 * DAY } },
    ...{ is: "quarantined person", says: "Quarantined: unreadable completed.", next: { command: redrive } },
    shows: "kept until 2026-04-09 12:00:00Z",
  },
  "the bus has refused": {
    facts: {
      entry: { id: 2, state: "refused", reason: "MalformedDetail" },
      log: [{ ...line, outcome: "refused", code: "MalformedDetail" }],
    },
    ...{ is: "refused person", says: "refused its event for good (MalformedDetail)", next: { command: redrive } },
    shows: "bus: refused (MalformedDetail), alone",
  },
  "completed before a date": {
    facts: { ...history, account: { start: { from: "2026-03-01", at: "2026-03-01 00:00:00" } } },
    ...{ is: "before-start settled", says: "what completed before 2026-03-01 00:00:00 is history" },
    shows: "before the start",
  },
  "completed before the poller began": {
    ...{ facts: history, is: "before-start settled", shows: "before the start" },
    says: "what completed up to 2026-03-10 11:00:00 is history",
  },
  "was forgotten": {
    facts: { entry: forgotten },
    ...{ is: "before-start settled", says: "Forgotten by an operator.", shows: "forgotten: by an operator" },
  },
  "a backfill may ask for": {
    facts: { ...history, mark: backfilled },
    ...{ is: "before-start coming", says: "2026-03-01 00:00:00 to 2026-03-10 11:30:00 is under way" },
  },
  "a backfill asks for": {
    facts: { ...history, mark: backfilled, looked: { ...looked, dateCompleted: at(-HOUR) } },
    ...{ is: "before-start coming", says: "is under way" },
  },
  "a backfill does not ask for": {
    facts: { ...history, mark: backfilled, looked: { ...looked, dateCompleted: at(-10 * MINUTE) } },
    ...{ is: "before-start settled", says: "is history" },
  },
  "an operator has had forgotten, while a backfill is under way": {
    facts: { entry: forgotten, mark: backfilled },
    ...{ is: "before-start settled", says: "Forgotten by an operator." },
  },
  // Of these there is no item.
  "was not met, and not every page was read": {
    facts: { mark: unread },
    ...{ is: "unknown coming", says: "not every page" },
  },
  "the service does not know either": {
    facts: { isListed: false, looked: null },
    ...{ is: "unknown unknown", says: "neither the ledger" },
  },
  "is open at the service": {
    facts: { isListed: false, looked: { ...looked, isCompleted: false, dateCompleted: null } },
    ...{ is: "open coming", says: "not completed" },
  },
  "is on its way": {
    facts: { isListed: false, looked },
    ...{ is: "unknown coming", says: "no reading has met it so far" },
  },
  "completed before the books, which decide": {
    facts: { looked: { ...looked, dateCompleted: at(-9 * HOUR) } },
    ...{ is: "unknown coming", says: "is new, whatever its date" },
  },
  "completed before the start, which decides": {
    facts: { mark: unread, looked: { ...looked, dateCompleted: at(-9 * HOUR) } },
    ...{ is: "before-start settled", says: "" },
  },
  "completed after the start, without books": {
    facts: { mark: unread, looked },
    ...{ is: "unknown coming", says: "the start decides" },
  },
  "completed long before a full read that has not listed it": {
    facts: { isListed: false, looked: { ...looked, dateCompleted: at(-3 * DAY) } },
    ...{ is: "unknown person", says: "has not listed it", next: { command: audit } },
  },
  "a full read has listed": {
    facts: { isListed: true },
    ...{ is: "unknown person", says: "Unaccounted: a full read has listed it", next: { command: audit } },
  },
  "a full read has listed, and the service knows": {
    facts: { isListed: true, looked: { ...looked, dateCompleted: at(-HOUR) } },
    ...{ is: "unknown person", says: "the service has it, completed 2026-03-10 11:00:00, and a full read" },
  },
  "has an event in the log alone": {
    facts: { log: [line], isListed: true },
    ...{ is: "unknown person", says: "Unaccounted: its event went out at " },
  },
};

it.each(Object.entries(toldOf))("a response that %s", (_what, { facts, is, says, shows = "", next = {} }) => {
  const answer = storyOf(facts);
  expect(`${answer.verdict} ${answer.outlook}`).toBe(is);
  expect(answer.sentence).toContain(says);
  expect(details(answer)).toContain(shows);
  expect(answer.next).toMatchObject(next);
  expect(answer.ledger?.state).toBe(facts.entry?.state);
  // That a full read of before has not listed it says nothing.
  if (answer.verdict === "waiting") expect(whats(answer)).toEqual(["met", "waiting"]);
});

it.each<[why: string, facts: Partial<Facts>, at: number | null, what: string]>([
  ["nobody polls", { isStopped: true }, null, "npm start"],
  ["no tick comes", { now: noon + 2 * HOUR }, null, "nobody has polled for 2 h"],
  [
    "the service asks to be left alone",
    { account: { pausedUntil: noon + 8 * DAY } },
    ...([noon + 8 * DAY, "the service of main asks"] as const),
  ],
  [
    "an operator has paused it",
    { account: { pausedSince: noon, pausedUntil: FOREVER } },
    ...([null, "Paused since 2026-03-10 12:00:00 UTC by an operator: source main."] as const),
  ],
])("says why nothing happens next: %s", (_why, facts, at, what) => {
  const next = { at, what: expect.stringContaining(what) };
  expect(storyOf({ entry: { id: 2, state: "open" }, ...facts }).next).toMatchObject(next);
});
