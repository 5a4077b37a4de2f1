import { describe, expect, it } from "vitest";
import { UNDATED, UNPROVED } from "../../../../lib/polling/ledger/held.ts";
import { type Decision, decide } from "../../../../lib/polling/ledger/judge.ts";
import type { EntryState } from "../../../../lib/polling/model/ledger-entry.ts";
import type { Floor } from "../../../../lib/polling/model/mark.ts";
import { type Run, readRecord } from "../../../../lib/polling/model/records.ts";
import { newestDate, orderedByCompletion } from "../../../../lib/polling/routes/list-order.ts";

const now = Date.UTC(2026, 2, 10, 12);

function run(completed: unknown, dateCompleted: unknown, responseId = 1): Run {
  return { responseId, records: [readRecord({ responseId, completed, dateCompleted })] };
}

const floor: Floor = { at: "2026-03-10 10:00:00", inclusive: false };
const all = { floor, looksAtHeld: false, replaces: true, now };
const first = { ...all, isHistoryMet: false };
const done = { ...all, isHistoryMet: true };
/** A first pass that has stepped over a page. */
const partial = { ...done, floor: { ...floor, isPartial: true } };

// R14, R15
describe("a response that the ledger does not know", () => {
  it.each<[string | null, Decision, Decision]>([
    ["2026-03-10 10:00:01", "emit", "emit"],
    ["2026-03-10 10:00:00", "before-floor", "emit"],
    ["2026-03-10 07:00:00", "before-floor", "emit"],
    ["2026-03-10 06:59:59", "old", "old"],
    ["2026-03-12 12:00:00", "before-floor", "emit"],
    [null, "before-floor", "emit"],
    ["", "before-floor", "emit"],
    ["0000-00-00 00:00:00", "before-floor", "emit"],
  ])("completed at %j is, in the first pass, %s; later it is %s", (date, inFirst, later) => {
    expect(decide(run(1, date), undefined, first)).toBe(inFirst);
    expect(decide(run(1, date), undefined, done)).toBe(later);
  });

  // R9
  it.each<[string | null, Decision]>([
    ["2026-03-10 10:00:01", "emit"],
    ["2026-03-10 10:00:00", "before-floor"],
    ["2026-03-10 07:00:00", "before-floor"],
    ["2026-03-10 06:59:59", "old"],
    ["2026-03-12 12:00:00", "undated"],
    [null, "undated"],
    ["", "undated"],
    ["0000-00-00 00:00:00", "undated"],
  ])("completed at %j is, behind a first pass that has left out a page, %s", (date, expected) => {
    expect(decide(run(1, date), undefined, partial)).toBe(expected);
  });

  it("is old far below the floor also by a clock that was set back since", () => {
    const setBack = now - 30 * 24 * 3_600_000;
    expect(decide(run(1, "2026-03-10 06:59:59"), undefined, { ...done, now: setBack })).toBe("old");
    expect(decide(run(1, "2026-03-10 11:00:00"), undefined, { ...done, now: setBack })).toBe("emit");
    const quarantined = { id: 1, state: "quarantined" as const };
    expect(decide(run(1, "2026-03-10 06:59:59"), quarantined, { ...done, now: setBack })).toBe("before-floor");
  });

  it("is emitted at exactly the floor when that is a date of the configuration", () => {
    const inclusive = { ...first, floor: { ...floor, inclusive: true } };
    expect(decide(run(1, "2026-03-10 10:00:00"), undefined, inclusive)).toBe("emit");
    expect(decide(run(1, "2026-03-10 09:59:59"), undefined, inclusive)).toBe("before-floor");
  });

  it("is emitted whatever its date when history has no floor", () => {
    const none = { ...first, floor: { at: null, inclusive: true } };
    for (const date of ["2001-01-01 00:00:00", null, "2099-01-01 00:00:00"]) {
      expect(decide(run(1, date), undefined, none)).toBe("emit");
    }
  });

  it("is noted while open, and quarantined when it cannot be read: its date may be that of an open one", () => {
    expect(decide(run(0, "2026-03-10 11:00:00"), undefined, done)).toBe("open");
    expect(decide(run("perhaps", "2026-03-10 11:00:00"), undefined, done)).toBe("quarantine");
    expect(decide(run("perhaps", "2026-03-01 11:00:00"), undefined, done)).toBe("quarantine");
  });
});

// R14
describe("a response that the ledger knows", () => {
  it.each<[EntryState, Decision, Decision, Decision]>([
    ["emitted", "settled", "settled", "settled"],
    ["before-floor", "settled", "settled", "settled"],
    ["waiting", "settled", "settled", "settled"],
    ["refused", "settled", "settled", "settled"],
    ["open", "emit", "settled", "quarantine"],
    ["quarantined", "before-floor", "open", "settled"],
  ])("as %s: completed %s, open %s, unreadable %s", (state, ...expected) => {
    const entry = { id: 1, state };
    const date = "2026-01-01 00:00:00";
    expect([run(1, date), run(0, date), run("perhaps", date)].map((one) => decide(one, entry, done))).toEqual(expected);
  });
});

// R6, R14
describe("a held response", () => {
  const left = { id: 1, state: "held" as const, reason: UNPROVED, firstSeen: now - 60_000, attempts: 1 };
  const held = { ...left, attempts: 3 };
  const completed = run(1, "2026-03-10 11:00:00");

  it("is tried again by the next poll, before it was left by three", () => {
    expect(decide(completed, left, done)).toBe("emit");
  });

  it("is settled until its pause is over, but for what reads every page", () => {
    expect(decide(completed, held, done)).toBe("settled");
    expect(decide(completed, held, { ...done, looksAtHeld: true })).toBe("emit");
    expect(decide(completed, held, { ...done, now: now + 24 * 3_600_000 })).toBe("emit");
  });

  it("is settled while it is not completed", () => {
    for (const flag of [0, "perhaps"])
      expect(decide(run(flag, null), held, { ...done, looksAtHeld: true })).toBe("settled");
  });

  // R9
  it("for its date goes by that alone: above the floor it is new, at or below before the floor, else it stays held", () => {
    const undated = { ...held, reason: UNDATED };
    const decided = ["2026-03-10 11:00:00", "2026-03-10 10:00:00", "2026-01-01 00:00:00", null].map((date) =>
      decide(run(1, date), undated, { ...partial, looksAtHeld: true }),
    );
    expect(decided).toEqual(["emit", "before-floor", "before-floor", "settled"]);
  });
});

// R14, R20: a response that has grown
it("an emitted response is replaced where it has more records than its event, and by nothing else", () => {
  const entry = { id: 1, state: "emitted" as const, count: 1 };
  const two = {
    responseId: 1,
    records: [1, 2].map((questionId) => readRecord({ responseId: 1, completed: 1, questionId })),
  };
  expect(decide(two, entry, done)).toBe("replace");
  expect(decide(two, { ...entry, count: 2 }, done)).toBe("settled");
  expect(decide(two, { ...entry, count: 3 }, done)).toBe("settled");
});

it("a quarantined response that became readable goes out unless it was completed far below the floor", () => {
  const entry = { id: 1, state: "quarantined" as const };
  expect(decide(run(1, "2026-03-10 11:00:00"), entry, done)).toBe("emit");
  expect(decide(run(1, null), entry, done)).toBe("emit");
});

describe("the newest date", () => {
  it("is the largest credible one of the completed responses", () => {
    const runs = [
      run(1, "2026-03-10 09:00:00"),
      run(0, "2026-03-10 11:00:00"),
      run(1, "2099-01-01 00:00:00"),
      run(1, null),
    ];
    expect(newestDate(runs, now)).toBe("2026-03-10 09:00:00");
    expect(newestDate([run(0, "2026-03-10 11:00:00")], now)).toBeUndefined();
  });
});

describe("the first pages of both orders", () => {
  const day = (number: number, completed: unknown = 1): Run => run(completed, `2026-03-0${number} 00:00:00`, number);
  const undated = (): Run => run(0, null, 9);

  it.each([
    ["show order by completion", [day(5), day(4), day(3)], [day(1), day(2), day(3)], true],
    ["show it with equal dates", [day(5), day(5)], [day(5), day(5)], true],
    ["show it with open ones in their places", [day(5), day(4, 0), day(3)], [day(1), day(2, 0), day(2)], true],
    ["show it with open ones without a date at an end", [undated(), day(5), day(4)], [day(1), undated()], true],
    ["do not with open ones out of their places", [day(2, 0), day(5)], [day(1), day(4)], false],
    ["do not with open ones without a date between", [day(5), undated(), day(4)], [day(1), day(2)], false],
    ["do not when desc rises", [day(4), day(5)], [day(1), day(2)], false],
    ["do not when asc falls", [day(5), day(4)], [day(2), day(1)], false],
    ["do not when asc holds what is newer", [day(3), day(2)], [day(1), day(4)], false],
    ["do not when desc holds what is older", [day(5), day(1)], [day(2), day(3)], false],
    ["say nothing with a date that is not credible", [day(5), run(1, null)], [day(1), day(2)], false],
  ])("%s", (_name, descending, ascending, expected) => {
    expect(orderedByCompletion(descending, ascending, now)).toBe(expected);
  });
});

describe("what a backfill asks for", () => {
  const asking = { ...done, backfill: { from: "2026-03-09 00:00:00", to: "2026-03-10 06:00:00" } };

  it.each<[string | null, Decision, Decision]>([
    ["2026-03-09 00:00:00", "emit", "emit"],
    ["2026-03-10 06:00:00", "emit", "emit"],
    ["2026-03-10 06:00:01", "old", "settled"],
    ["2026-03-08 23:59:59", "old", "settled"],
    // No such day, and in the range as a text.
    ["2026-03-09 25:00:00", "emit", "settled"],
    [null, "emit", "settled"],
  ])("completed at %j, unknown it is %s, known as before the floor %s", (date, unknown, known) => {
    expect(decide(run(1, date), undefined, asking)).toBe(unknown);
    expect(decide(run(1, date), { id: 1, state: "before-floor" }, asking)).toBe(known);
  });

  it.each<[EntryState, Decision]>([
    ["emitted", "settled"],
    ["waiting", "settled"],
    ["refused", "settled"],
    ["held", "emit"],
    ["open", "emit"],
    ["quarantined", "emit"],
  ])("leaves one that is %s as it would be without: %s", (state, expected) => {
    expect(decide(run(1, "2026-03-09 12:00:00"), { id: 1, state }, { ...asking, looksAtHeld: true })).toBe(expected);
  });
});
