import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { searchLog } from "../../../../lib/cli/verbs/explain/event-log.ts";
import type { ExplainAnswer, Facts } from "../../../../lib/cli/verbs/explain/story.ts";
import { explain } from "../../../../lib/cli/verbs/explain/verb.ts";
import { FORGOTTEN, type LedgerEntry, newFullRead, ReadIds, type SurveyState } from "../../../../lib/polling/index.ts";
import { pollScheduled } from "../../../../lib/run/poll-scheduled.ts";
import { FOREVER } from "../../../../lib/state/keys.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import {
  arrive,
  at,
  HOUR,
  MINUTE,
  noon,
  type ResponseSpec,
  range,
  replace,
  SECOND,
  worldWith,
} from "../../../support/survey.ts";
import { writtenBy } from "../../monitoring/support/embedded-metrics.ts";
import { memoryGraph } from "../../support/graph.ts";
import { answerOf, survey, useFolder } from "../support/command.ts";

/** A source in memory that is polled by the whole function, and what `explain` says of its responses. */
interface Told {
  world: MemoryWorld;
  /** A tick, after so many milliseconds. */
  tick(after?: number): Promise<void>;
  /** The story of a response, from the ledger and the log as they are now. */
  story(id: number, more?: Partial<Facts>): Promise<ExplainAnswer>;
}

/** The source after its first tick, a minute before noon. */
async function told(responses: ResponseSpec[], fields: Record<string, unknown> = {}): Promise<Told> {
  const world = worldWith(responses);
  const graph = memoryGraph(world, { timeZone: "UTC", ...fields });
  const events: { eventId: string; message: string }[] = [];
  const write =
    (level: string) =>
    (message: string, details: object): void => {
      const line = { level, message, timestamp: new Date(world.time.now).toISOString(), ...details };
      events.push({ eventId: `${events.length}`, message: JSON.stringify(line) });
    };
  const logger = { debug: write("DEBUG"), info: write("INFO"), warn: write("WARN"), error: write("ERROR") };
  const tick = async (after = 0): Promise<void> => {
    world.time.now += after;
    await writtenBy(() => pollScheduled({ graphs: [graph], owner: "o", remaining: () => 60_000, logger }));
  };
  world.time.now = noon - MINUTE;
  await tick();
  world.time.now = noon;
  return {
    world,
    tick,
    async story(id, more) {
      const { now } = world.time;
      const log = await searchLog({ source: "main", surveyId: 1, responseId: id, around: [] }, now, async () => ({
        events,
      }));
      return explain({
        ...{ source: graph.source, surveyId: 1, id, entry: world.entry(1, id), mark: world.mark(1) },
        ...{ account: await world.ports.state.account(), isListed: listedBy(world, id), log, looked: undefined },
        ...{ tellsDeleted: true, isStopped: false, flags: "--stack SurveyPoller", now, ...more },
      });
    },
  };
}

function listedBy(world: MemoryWorld, id: number): boolean | undefined {
  const { books, listedIds } = world.mark(1);
  if (books === undefined || listedIds === undefined) return undefined;
  const text = "inline" in listedIds ? listedIds.inline : world.objects.get(listedIds.key);
  return typeof text === "string" ? ReadIds.fromText(text).has(id) : undefined;
}

/** What happened, without when and how. */
function whats({ steps }: ExplainAnswer): string[] {
  return steps.map(({ what }) => what);
}

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
const EARLIER = { responseId: 1, completed: at(-HOUR) };
const beginning = { startFrom: "beginning" };

const FORGOTTEN_ONE: LedgerEntry = { id: 1, state: "before-start", reason: FORGOTTEN };

/** A source with a response 2 that has completed seconds ago, after the tick that has met it. */
async function met(spec: Partial<ResponseSpec> = {}, before: (world: MemoryWorld) => void = () => {}, fields = {}) {
  const source = await told([EARLIER], { ...beginning, ...fields });
  arrive(source.world, { responseId: 2, completed: at(-12 * SECOND), ...spec });
  before(source.world);
  await source.tick();
  return source;
}

describe("a response that was emitted", () => {
  it("at once: from its completion to the ledger, each with its time", async () => {
    const { world, story } = await met();

    const answer = await story(2);

    expect(whats(answer)).toEqual(["completed", "listed", "proved", "details", "bus", "ledger"]);
    expect(answer.steps[0]).toMatchObject({ at: noon - 12 * SECOND, detail: "its event was made 12 s later" });
    expect(answer.steps[1]?.detail).toMatch(/^page 1 \(newest first\), by reading the head/);
    expect(answer.steps[2]?.detail).toBe("whole by its page");
    expect(answer.steps.at(-1)?.detail).toContain(world.delivered.at(-1)?.meta.eventId);
    expect(answer).toMatchObject({ verdict: "emitted", outlook: "settled", sentence: "Emitted 0 s ago." });
    expect(answer.log).toEqual({ lines: 1, note: null });
    // Where the log no longer reaches back it is what the ledger has.
    expect(whats(await story(2, { log: [] }))).toEqual(["ledger"]);
  });

  it("after it had been open: open first, with the time of the next look; then its event", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2 });
    await tick();

    const open = await story(2);
    expect(open).toMatchObject({ verdict: "open", outlook: "coming" });
    expect(whats(open)).toEqual(expect.arrayContaining(["met", "open"]));
    expect(open.next.at).toBeGreaterThan(noon);

    replace(world, { responseId: 2, completed: at(10 * MINUTE) });
    world.counts.set(1, { correct: 1 });
    await tick(11 * MINUTE);
    expect(await story(2)).toMatchObject({ verdict: "emitted", outlook: "settled" });
    expect((await story(2)).steps[0]).toMatchObject({ at: noon + 10 * MINUTE, what: "completed" });
  });

  it("after it had waited: what for, until when, and how often it was asked for", async () => {
    const absent = (of: MemoryWorld): void => of.model.edit(1, 2, { metrics: { absent: "404" } });
    const { world, tick, story } = await met({}, absent, { advanced: { absentAfter: "5m" } });

    const waiting = await story(2);
    expect(waiting).toMatchObject({ verdict: "waiting", outlook: "coming", next: { at: noon + 5 * MINUTE } });
    expect(waiting.sentence).toContain("the service has no metrics of it yet");
    expect(waiting.next.what).toContain("still absent 5 min after it was met, it goes out without");
    expect(whats(waiting)).toEqual(["met", "waiting"]);
    // That a full read of before has not listed it says nothing.
    const mark = structuredClone(world.mark(1));
    if (mark.books !== undefined) mark.books.startedAt = noon - MINUTE;
    expect(whats(await story(2, { mark, isListed: false }))).toEqual(["met", "waiting"]);

    await tick(6 * MINUTE);
    const emitted = await story(2);
    expect(emitted.verdict).toBe("emitted");
    expect(emitted.steps.find(({ what }) => what === "details")?.detail).toMatch(/2 attempts$/);
  });

  it("and is listed otherwise by now: the update, with its revision and what has changed", async () => {
    const { world, tick, story } = await told([EARLIER, { responseId: 2, completed: at(-40 * MINUTE) }], beginning);
    replace(world, { responseId: 2, completed: at(-40 * MINUTE), fields: { answer: [7] } });
    for (let minute = 0; minute < 90; minute += 1) await tick(2 * MINUTE);

    const answer = await story(2);

    expect(answer).toMatchObject({ verdict: "emitted", ledger: { revision: 2 } });
    expect(answer.sentence).toMatch(/^Emitted .* ago, revision 2\.$/);
    expect(answer.steps.at(-1)).toMatchObject({ what: "updated" });
    expect(answer.steps.at(-1)?.detail).toMatch(/^revision 2: answers changed; page 1 /);
  });

  it("and is listed no more: gone at first, deleted once a second full read agrees", async () => {
    const { world, tick, story } = await told([EARLIER, { responseId: 2, completed: at(-40 * MINUTE) }], beginning);
    world.model.remove(1, 2);
    const verdicts = new Set<string>();
    for (let hour = 0; hour < 24 * 18 && !verdicts.has("deleted"); hour += 1) {
      await tick(HOUR);
      const { verdict, sentence } = await story(2);
      verdicts.add(verdict === "emitted" && sentence.includes("no longer listed") ? "gone" : verdict);
    }

    expect([...verdicts]).toEqual(["emitted", "gone", "deleted"]);
    const answer = await story(2);
    expect(answer).toMatchObject({ outlook: "settled", next: { command: null } });
    expect(whats(answer)).toContain("deleted");
  });

  it("but whose ledger write failed: the next poll writes it first", async () => {
    const { story } = await met({}, (world) => {
      world.before.push(({ operation, args }) => {
        const entries = operation === "putEntries" ? (args[1] as { id: number }[]) : [];
        if (entries.some(({ id }) => id === 2)) throw new Error("the table is gone");
      });
    });

    expect(await story(2)).toMatchObject({ verdict: "emitted", outlook: "coming" });
  });
});

describe("a response that was not emitted", () => {
  it("held: since nothing proves it, and when it is looked at again", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    const { page } = world.ports.service;
    for (const responseId of range(2, 101)) arrive(world, { responseId, completed: at(-60 * SECOND), size: 3 });
    world.ports.service.response = async () => ({ kind: "absent" });
    // Page 2 reads otherwise at each read, so that nothing proves a response across its edges.
    let read = 0;
    world.ports.service.page = async (surveyId, number, order) => {
      const shown = await page(surveyId, number, order);
      read += 1;
      if (number === 1 || shown.kind === "none") return shown;
      return { ...shown, records: shown.records.map((record) => ({ ...(record as object), score: read })) };
    };
    for (let minute = 0; minute < 8; minute += 1) await tick(MINUTE);
    const held = world.entries(1).find(({ state }) => state === "held");

    const answer = await story(Number(held?.id));

    expect(answer).toMatchObject({ verdict: "held", outlook: "coming", ledger: { state: "held" } });
    expect(answer.next.at).toBeGreaterThanOrEqual(held?.nextCheck ?? Number.POSITIVE_INFINITY);
    expect(whats(answer)).toEqual(expect.arrayContaining(["met", "held"]));
  });

  it("quarantined: why, for how long its records are kept, and the command", async () => {
    const { story } = await met({ fields: { completed: "perhaps" } });

    const answer = await story(2);

    expect(answer).toMatchObject({
      verdict: "quarantined",
      outlook: "person",
      sentence: "Quarantined: unreadable completed.",
      next: { command: "survey-poller quarantine show 2 --survey 1 --source main --stack SurveyPoller" },
    });
    const quarantined = answer.steps.find(({ what }) => what === "quarantined");
    expect(quarantined?.detail).toContain("kept until 2026-04-09 12:00:00Z");
  });

  it("refused by the bus: with its code, and what was tried", async () => {
    const { story } = await met({}, ({ bus }) => {
      bus.decide = () => ({ kind: "refused", code: "MalformedDetail" });
    });

    const answer = await story(2);

    expect(answer).toMatchObject({ verdict: "refused", outlook: "person" });
    expect(answer.steps.find(({ what }) => what === "bus")?.detail).toMatch(/^refused \(MalformedDetail\), alone/);
    expect(whats(answer)).not.toContain("ledger");
  });

  it("history: which date has decided", async () => {
    const before = { responseId: 1, completed: at(-40 * DAY) };
    const { story } = await told([before, { responseId: 2, completed: at(-HOUR) }], { startFrom: "2026-03-01" });
    const old = await story(1);
    expect(old).toMatchObject({ verdict: "before-start", outlook: "settled", ledger: { state: "before-start" } });
    expect(old.sentence).toContain("what completed before 2026-03-01 00:00:00 is history");
    expect((await story(2)).verdict).toBe("emitted");

    const now = await told([EARLIER], { startFrom: "now" });
    const answer = await now.story(1);
    expect(answer).toMatchObject({ verdict: "before-start", outlook: "settled" });
    expect(answer.sentence).toContain("what completed up to 2026-03-10 11:00:00 is history");
  });
});

describe("history", () => {
  const backfill = { from: "2026-03-01 00:00:00", to: "2026-03-10 11:30:00" };
  const looked = { surveyId: 1, responseId: 1, isCompleted: true, records: 2 };

  it.each<[what: string, facts: Partial<Facts>, outlook: string, says: string]>([
    ["that a backfill may ask for", {}, "coming", "2026-03-01 00:00:00 to 2026-03-10 11:30:00 is under way"],
    ["that it asks for", { looked: { ...looked, dateCompleted: at(-HOUR) } }, "coming", "is under way"],
    ["that it does not ask for", { looked: { ...looked, dateCompleted: at(-10 * MINUTE) } }, "settled", "is history"],
    ["of which an operator has had it forgotten", { entry: FORGOTTEN_ONE }, "settled", "Forgotten by an operator."],
  ])("%s", async (_what, facts, outlook, says) => {
    const { world, story } = await told([EARLIER], { startFrom: "now" });
    const mark: SurveyState = {
      ...world.mark(1),
      phase: { kind: "backlog", place: newFullRead(noon, { backfill }) },
    };
    const answer = await story(1, { mark, ...facts });
    expect(answer).toMatchObject({ verdict: "before-start", outlook });
    expect(answer.sentence).toContain(says);
  });

  it("that was forgotten is not told as history in its steps either", async () => {
    const { story } = await told([EARLIER], { startFrom: "now" });
    const answer = await story(1, { entry: FORGOTTEN_ONE });
    expect(whats(answer)).toContain("forgotten");
    expect(JSON.stringify([answer.sentence, answer.steps])).not.toContain("history");
  });
});

describe("a response of which there is no item", () => {
  const looked = { surveyId: 1, responseId: 9, isCompleted: true, dateCompleted: at(0), records: 2 };
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
  ])("%s", async (_what, { hasBooks = true, ...facts }, verdict, says) => {
    const { world, story } = await told([EARLIER], { startFrom: "now" });
    const { books: _, ...unproved } = world.mark(1);
    const answer = await story(9, { mark: hasBooks ? world.mark(1) : unproved, ...facts });
    expect(answer).toMatchObject(verdict);
    expect(answer.sentence).toContain(says);
  });

  it("whose event stands in the log is unaccounted for", async () => {
    const { story } = await met();
    expect(await story(2, { entry: undefined, isListed: true })).toMatchObject({ outlook: "person" });
  });
});

describe("what happens next", () => {
  it("does not happen where nobody polls", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2 });
    await tick();
    const stopped = await story(2, { isStopped: true });
    expect(stopped.next).toMatchObject({ at: null, what: expect.stringContaining("npm start") });
    const late = await story(2, { now: noon + 2 * HOUR });
    expect(late.next).toMatchObject({ at: null, what: expect.stringContaining("nobody has polled for 2 h") });
    const paused = await story(2, { account: { lastTick: noon, pausedUntil: noon + 8 * DAY } });
    expect(paused.next).toMatchObject({
      at: noon + 8 * DAY,
      what: expect.stringContaining("the service of main asks"),
    });
    const account = { lastTick: noon, pausedSince: noon, pausedUntil: FOREVER };
    const what = expect.stringMatching(/Paused since 2026-03-10 12:00:00 UTC by an operator: source main\.$/);
    expect((await story(2, { account })).next).toMatchObject({ at: null, what });
  });
});
