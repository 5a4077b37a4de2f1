import { describe, expect, it } from "vitest";
import { differences, seeChange } from "../../../../lib/polling/ledger/replace.ts";
import type { LedgerEntry } from "../../../../lib/polling/model/ledger-entry.ts";
import { digestOf, type Run, readRecord } from "../../../../lib/polling/model/records.ts";

const MINUTE = 60_000;

function run(...answers: string[]): Run {
  const records = answers.map((answer, i) => ({ responseId: 7, questionId: i, completed: 1, answer }));
  return { responseId: 7, records: records.map((record) => readRecord(record)) };
}

const emitted = (of: Run, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id: 7,
  state: "emitted",
  digest: digestOf(of),
  count: of.records.length,
  ...more,
});

/** The outcomes of readings one after the other, each with its own entry as the one before has left it. */
function readings(entry: LedgerEntry, all: { of: Run; at: number; isFull?: boolean }[]): string[] {
  let now = entry;
  return all.map(({ of, at, isFull = false }) => {
    const seen = seeChange(of, now, differences(of, now), { at, isFull });
    if (seen.kind === "noted") now = seen.entry;
    return seen.kind;
  });
}

describe("a response that reads otherwise than its event", () => {
  const entry = emitted(run("a", "b"));

  it("is told once it has read the same twice, a minute apart", () => {
    const of = run("a", "c");
    const at = 10 * MINUTE;
    expect(
      readings(entry, [
        { of, at },
        { of, at: at + MINUTE / 2 },
        { of, at: at + MINUTE },
      ]),
    ).toEqual(["noted", "nothing", "told"]);
  });

  it("names what differs, and when that was seen first", () => {
    const of = run("a", "c");
    const first = seeChange(of, entry, ["answers"], { at: 1_000, isFull: false });
    if (first.kind !== "noted") throw new Error(first.kind);
    expect(seeChange(of, first.entry, differences(of, entry), { at: 1_000 + MINUTE, isFull: false })).toEqual({
      kind: "told",
      replaces: { entry: first.entry, changes: ["answers"], observedAt: 1_000 },
    });
  });

  it("with fewer records is looked at by full reads alone", () => {
    const of = run("a");
    expect(
      readings(entry, [
        { of, at: 0 },
        { of, at: MINUTE, isFull: true },
      ]),
    ).toEqual(["nothing", "noted"]);
  });

  it("that differs at each reading is left to full reads after three of them", () => {
    const all = [1, 2, 3, 4].map((i) => ({ of: run("a", `${i}`), at: i * MINUTE }));
    expect(readings(entry, all)).toEqual(["noted", "noted", "noted", "nothing"]);
    expect(
      readings(
        entry,
        all.map((one) => ({ ...one, isFull: true })),
      ),
    ).toEqual(Array(4).fill("noted"));
  });

  it("is not compared while it is open", () => {
    const open: Run = { responseId: 7, records: [readRecord({ responseId: 7, completed: 0, answer: "x" })] };
    expect(differences(open, entry)).toEqual([]);
  });
});
