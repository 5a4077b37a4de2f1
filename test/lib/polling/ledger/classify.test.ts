import { describe, expect, it } from "vitest";
import { classify, type Decision } from "../../../../lib/polling/ledger/classify.ts";
import { UNPROVED } from "../../../../lib/polling/ledger/entries.ts";
import type { EntryState } from "../../../../lib/polling/model/ledger-entry.ts";
import { type Run, readRecord } from "../../../../lib/polling/model/records.ts";
import type { Start } from "../../../../lib/polling/model/source.ts";

const now = Date.UTC(2026, 2, 10, 12);

function run(completed: unknown, dateCompleted: unknown, responseId = 1): Run {
  return { responseId, records: [readRecord({ responseId, completed, dateCompleted })] };
}

const start: Start = { from: "now", at: "2026-03-10 10:00:00" };
const all = { start, looksAtHeld: false, replaces: true, now };
const first = { ...all, hasBooks: false };
const done = { ...all, hasBooks: true };

// R14, R15
describe("a response that the ledger does not know", () => {
  it.each<[string | null, Decision]>([
    ["2026-03-10 10:00:01", "emit"],
    ["2026-03-10 10:00:00", "before-start"],
    ["2026-03-10 07:00:00", "before-start"],
    ["2026-03-12 12:00:00", "before-start"],
    [null, "before-start"],
    ["", "before-start"],
    ["0000-00-00 00:00:00", "before-start"],
  ])("completed at %j is, before the first books, %s; after them it is new", (date, expected) => {
    expect(classify(run(1, date), undefined, first)).toBe(expected);
    expect(classify(run(1, date), undefined, done)).toBe("emit");
  });

  it("and that has no credible date of completion is judged by its beginning", () => {
    const begun = (dateStart: string): Run => ({
      responseId: 1,
      records: [readRecord({ responseId: 1, completed: 1, dateCompleted: null, dateStart })],
    });
    expect(classify(begun("2026-03-10 10:00:01"), undefined, first)).toBe("emit");
    expect(classify(begun("2026-03-10 09:00:00"), undefined, first)).toBe("before-start");
  });

  it("is emitted at exactly the start when that is a date of the configuration", () => {
    const dated = { ...first, start: { ...start, from: "2026-03-10" } };
    expect(classify(run(1, "2026-03-10 10:00:00"), undefined, dated)).toBe("emit");
    expect(classify(run(1, "2026-03-10 09:59:59"), undefined, dated)).toBe("before-start");
  });

  it("is emitted whatever its date when nothing is history", () => {
    const none = { ...first, start: { from: "beginning", at: null } };
    for (const date of ["2001-01-01 00:00:00", null, "2099-01-01 00:00:00"]) {
      expect(classify(run(1, date), undefined, none)).toBe("emit");
    }
  });

  it("is noted while open, and quarantined when it cannot be read: its date may be that of an open one", () => {
    expect(classify(run(0, "2026-03-10 11:00:00"), undefined, done)).toBe("open");
    expect(classify(run("perhaps", "2026-03-10 11:00:00"), undefined, done)).toBe("quarantine");
    expect(classify(run("perhaps", "2026-03-01 11:00:00"), undefined, done)).toBe("quarantine");
  });
});

// R14
describe("a response that the ledger knows", () => {
  it.each<[EntryState, Decision, Decision, Decision]>([
    ["emitted", "settled", "settled", "settled"],
    ["before-start", "settled", "settled", "settled"],
    ["waiting", "settled", "settled", "settled"],
    ["refused", "settled", "settled", "settled"],
    ["open", "emit", "settled", "quarantine"],
    ["quarantined", "before-start", "open", "settled"],
  ])("as %s: completed %s, open %s, unreadable %s", (state, ...expected) => {
    const entry = { id: 1, state };
    const date = "2026-01-01 00:00:00";
    expect([run(1, date), run(0, date), run("perhaps", date)].map((one) => classify(one, entry, done))).toEqual(
      expected,
    );
  });
});

// R6, R14
describe("a held response", () => {
  const left = { id: 1, state: "held" as const, reason: UNPROVED, firstSeen: now - 60_000, attempts: 1 };
  const held = { ...left, attempts: 3, nextCheck: now + 300_000 };
  const completed = run(1, "2026-03-10 11:00:00");

  it("is tried again by the next poll, before it was left by three", () => {
    expect(classify(completed, left, done)).toBe("emit");
  });

  it("is settled until its pause is over, but for what reads every page", () => {
    expect(classify(completed, held, done)).toBe("settled");
    expect(classify(completed, held, { ...done, looksAtHeld: true })).toBe("emit");
    expect(classify(completed, held, { ...done, now: now + 24 * 3_600_000 })).toBe("emit");
  });

  it("is settled while it is not completed", () => {
    for (const flag of [0, "perhaps"])
      expect(classify(run(flag, null), held, { ...done, looksAtHeld: true })).toBe("settled");
  });
});

// R14, R20: a response that has grown
it("an emitted response is replaced where it has more records than its event, and by nothing else", () => {
  const entry = { id: 1, state: "emitted" as const, count: 1 };
  const two = {
    responseId: 1,
    records: [1, 2].map((questionId) => readRecord({ responseId: 1, completed: 1, questionId })),
  };
  expect(classify(two, entry, done)).toBe("replace");
  expect(classify(two, { ...entry, count: 2 }, done)).toBe("settled");
  expect(classify(two, { ...entry, count: 3 }, done)).toBe("settled");
});

it("a quarantined response that became readable goes out unless it is history", () => {
  const entry = { id: 1, state: "quarantined" as const };
  expect(classify(run(1, "2026-03-10 11:00:00"), entry, done)).toBe("emit");
  expect(classify(run(1, "2026-03-10 09:00:00"), entry, done)).toBe("before-start");
});

describe("what a backfill asks for", () => {
  const asking = { ...first, backfill: { from: "2026-03-09 00:00:00", to: "2026-03-10 06:00:00" } };

  it.each<[string | null, Decision, Decision]>([
    ["2026-03-09 00:00:00", "emit", "emit"],
    ["2026-03-10 06:00:00", "emit", "emit"],
    ["2026-03-10 06:00:01", "before-start", "settled"],
    ["2026-03-08 23:59:59", "before-start", "settled"],
    // No such day, and in the range as a text.
    ["2026-03-09 25:00:00", "before-start", "settled"],
    [null, "before-start", "settled"],
  ])("completed at %j, unknown it is %s, known as before the start %s", (date, unknown, known) => {
    expect(classify(run(1, date), undefined, asking)).toBe(unknown);
    expect(classify(run(1, date), { id: 1, state: "before-start" }, asking)).toBe(known);
  });

  it.each<[EntryState, Decision]>([
    ["emitted", "settled"],
    ["waiting", "settled"],
    ["refused", "settled"],
    ["held", "emit"],
    ["open", "emit"],
    ["quarantined", "emit"],
  ])("leaves one that is %s as it would be without: %s", (state, expected) => {
    expect(classify(run(1, "2026-03-09 12:00:00"), { id: 1, state }, { ...asking, looksAtHeld: true })).toBe(expected);
  });
});
