import { describe, expect, it } from "vitest";
import { arrive, at, HOUR, MINUTE, noon, range, replace, SECOND, surveyOf } from "../../../support/survey.ts";
import { told, whats } from "./support.ts";

const DAY = 24 * HOUR;
const EARLIER = { responseId: 1, completed: at(-HOUR) };
const beginning = { startFrom: "beginning" };

describe("a response that was emitted", () => {
  it("at once: from its completion to the ledger, each with its time", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2, completed: at(-12 * SECOND) });
    await tick();

    const answer = await story(2);

    expect(whats(answer)).toEqual(["completed", "listed", "proved", "details", "bus", "ledger"]);
    expect(answer.steps[0]).toMatchObject({ at: noon - 12 * SECOND, detail: "its event was made 12 s later" });
    expect(answer.steps[1]?.detail).toMatch(/^page 1 \(newest first\), request 2 of its run, by reading the head/);
    expect(answer.steps[2]?.detail).toBe("whole by its page");
    expect(answer.steps.at(-1)?.detail).toContain(world.delivered.at(-1)?.meta.eventId);
    expect(answer).toMatchObject({ verdict: "emitted", outlook: "settled", sentence: "Emitted 0 s ago." });
    expect(answer.log).toEqual({ lines: 1, from: null, note: null });
  });

  it("by a log that no longer reaches back: what the ledger has, and says so", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2, completed: at(-12 * SECOND) });
    await tick();

    const answer = await story(2, { log: { lines: [], from: noon } });

    expect(whats(answer)).toEqual(["ledger"]);
    expect(answer.log.note).toMatch(/^The log has no line of its event any more/);
  });

  it("after it had been open: open first, with the time of the next look; then its event", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2 });
    await tick();

    const open = await story(2);
    expect(open).toMatchObject({ verdict: "open", outlook: "coming" });
    expect(whats(open)).toEqual(["met", "open", ...(open.survey?.listedByBooks === null ? [] : ["books"])]);
    expect(open.next.at).toBeGreaterThan(noon);

    replace(world, { responseId: 2, completed: at(10 * MINUTE) });
    surveyOf(world).counts.correct = 1;
    await tick(11 * MINUTE);
    expect(await story(2)).toMatchObject({ verdict: "emitted", outlook: "settled" });
    expect((await story(2)).steps[0]).toMatchObject({ at: noon + 10 * MINUTE, what: "completed" });
  });

  it("after it had waited: what for, until when, and how often it was asked for", async () => {
    const { world, tick, story } = await told([EARLIER], { ...beginning, absentAfter: "5m" });
    arrive(world, { responseId: 2, completed: at(-12 * SECOND) });
    surveyOf(world).metrics.set(2, { kind: "absent" });
    await tick();

    const waiting = await story(2);
    expect(waiting).toMatchObject({ verdict: "waiting", outlook: "coming", next: { at: noon + 5 * MINUTE } });
    expect(waiting.sentence).toContain("the service has no metrics of it yet");
    expect(waiting.next.what).toContain("still absent 5 min after it was met, it goes out without");
    expect(whats(waiting)).toEqual(["met", "waiting", "books"]);
    // That a full pass of before has not listed it says nothing.
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

  it("and is listed no more: gone at first, deleted once a second full pass agrees", async () => {
    const { world, tick, story } = await told([EARLIER, { responseId: 2, completed: at(-40 * MINUTE) }], beginning);
    const survey = surveyOf(world);
    survey.records = survey.records.filter((record) => (record as { responseId: number }).responseId !== 2);
    survey.counts.responses = 1;
    survey.single.set(2, { kind: "absent" });
    const verdicts = new Set<string>();
    for (let hour = 0; hour < 24 * 18 && !verdicts.has("deleted"); hour += 1) {
      await tick(HOUR);
      const { verdict, sentence } = await story(2);
      verdicts.add(verdict === "emitted" && sentence.includes("no longer listed") ? "gone" : verdict);
    }

    expect([...verdicts]).toEqual(["gone", "deleted"]);
    const answer = await story(2);
    expect(answer).toMatchObject({ outlook: "settled", next: { command: null } });
    expect(whats(answer)).toContain("deleted");
  });

  it("but whose ledger write failed: the next poll writes it first", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2, completed: at(-12 * SECOND) });
    world.before.push(({ operation, args }) => {
      const entries = operation === "putEntries" ? (args[1] as { id: number }[]) : [];
      if (entries.some(({ id }) => id === 2)) throw new Error("the table is gone");
    });
    await tick();

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
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2, completed: at(-12 * SECOND), fields: { completed: "perhaps" } });
    await tick();

    const answer = await story(2);

    expect(answer).toMatchObject({
      verdict: "quarantined",
      outlook: "person",
      sentence: "Quarantined: unreadable completed.",
      next: { command: "survey-poller quarantine show 2 --survey 1 --stack SurveyPoller" },
    });
    expect(answer.steps.find(({ what }) => what === "quarantined")?.detail).toContain(
      "kept until 2026-04-09 12:00:00Z",
    );
  });

  it("refused by the bus: with its code, and what was tried", async () => {
    const { world, tick, story } = await told([EARLIER], beginning);
    arrive(world, { responseId: 2, completed: at(-12 * SECOND) });
    world.bus.decide = () => ({ kind: "refused", code: "MalformedDetail" });
    await tick();

    const answer = await story(2);

    expect(answer).toMatchObject({ verdict: "refused", outlook: "person" });
    expect(answer.steps.find(({ what }) => what === "bus")?.detail).toMatch(/^refused \(MalformedDetail\), alone/);
    expect(whats(answer)).not.toContain("ledger");
  });

  it("history: which date has decided", async () => {
    const { story } = await told(
      [
        { responseId: 1, completed: at(-40 * DAY) },
        { responseId: 2, completed: at(-HOUR) },
      ],
      {
        startFrom: "2026-03-01",
      },
    );
    const old = await story(1);
    expect(old).toMatchObject({ verdict: "before-floor", outlook: "settled", ledger: { state: "before-floor" } });
    expect(old.sentence).toContain("what completed before 2026-03-01 00:00:00 is history");
    expect((await story(2)).verdict).toBe("emitted");

    const now = await told([EARLIER], { startFrom: "now" });
    const answer = await now.story(1);
    expect(answer).toMatchObject({ verdict: "before-floor", outlook: "settled" });
    expect(answer.sentence).toContain("what completed up to 2026-03-10 11:00:00 is history");
  });
});

describe("a response of which there is no item", () => {
  const looked = { surveyId: 1, responseId: 9, isCompleted: true, dateCompleted: at(0), records: 2 };

  it("listed by a full pass is unaccounted for", async () => {
    const { story, tick } = await told([EARLIER, { responseId: 9, completed: at(-HOUR) }], { startFrom: "2026-03-01" });
    await tick(MINUTE);
    const lost = { entry: undefined, isListed: true, log: { lines: [], from: null } };

    expect(await story(9, lost)).toMatchObject({
      outlook: "person",
      sentence: expect.stringContaining("Unaccounted: a full pass has listed it"),
      next: { command: expect.stringContaining("audit") },
    });
    const later = await story(9, { ...lost, looked: { ...looked, dateCompleted: at(-HOUR) } });
    expect(later).toMatchObject({ verdict: "unknown", outlook: "person" });
    expect(later.sentence).toMatch(/^Unaccounted: the service has it, completed 2026-03-10 11:00:00, and a full pass/);
    // Its event stands in the log.
    expect(await story(9, { entry: undefined, isListed: true })).toMatchObject({ outlook: "person" });
  });

  it("listed by a full pass, where history has no floor: unaccounted", async () => {
    const { story } = await told([EARLIER], beginning);
    const answer = await story(9, { isListed: true });
    expect(answer).toMatchObject({ verdict: "unknown", outlook: "person" });
    expect(answer.next.command).toBe("survey-poller audit --survey 1 --stack SurveyPoller");
  });

  it("never listed: up to which full pass, and that the service can be asked", async () => {
    const { tick, story } = await told([EARLIER], beginning);
    await tick(MINUTE);
    const answer = await story(9);
    expect(answer).toMatchObject({ verdict: "unknown", outlook: "unknown" });
    expect(answer.sentence).toMatch(/^Never listed: no walk has met it up to the full pass of 2026-03-10 /);
    expect(answer.next.command).toContain("--ask");
  });

  it("not met yet, where not every page was read: it may come", async () => {
    const { world, story } = await told([EARLIER], beginning);
    const { books: _, ...mark } = world.mark(1);
    expect(await story(9, { mark, isListed: undefined })).toMatchObject({ verdict: "unknown", outlook: "coming" });
  });

  it("asked for: neither known, nor open, nor on its way are mixed up", async () => {
    const { story } = await told([EARLIER], beginning);
    expect(await story(9, { looked: null })).toMatchObject({ verdict: "unknown", outlook: "unknown" });
    const open = { ...looked, isCompleted: false, dateCompleted: null };
    expect(await story(9, { looked: open })).toMatchObject({ verdict: "open", outlook: "coming" });
    expect(await story(9, { looked })).toMatchObject({ verdict: "unknown", outlook: "coming" });
  });

  it("not met yet: whether the start or the books decide about it", async () => {
    const { world, story } = await told([EARLIER], { startFrom: "now" });
    const past = { ...looked, dateCompleted: at(-9 * HOUR) };
    expect((await story(9, { looked: past, isListed: undefined })).sentence).toContain("is new, whatever its date");
    const { books: _, ...mark } = world.mark(1);
    expect(await story(9, { looked: past, mark, isListed: undefined })).toMatchObject({ verdict: "before-floor" });
    expect((await story(9, { looked, mark, isListed: undefined })).sentence).toContain("the start decides");
  });

  it("known to the service as completed long before a full pass that has not listed it: unaccounted", async () => {
    const { story } = await told([EARLIER], beginning);
    const answer = await story(9, { looked: { ...looked, dateCompleted: at(-3 * DAY) } });
    expect(answer).toMatchObject({ verdict: "unknown", outlook: "person" });
    expect(answer.next.command).toBe("survey-poller audit --survey 1 --stack SurveyPoller");
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
    expect(paused.next.at).toBe(noon + 8 * DAY);
  });
});
