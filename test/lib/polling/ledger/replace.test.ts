import { expect, it } from "vitest";
import { differences, seeChange } from "../../../../lib/polling/ledger/replace.ts";
import type { LedgerEntry } from "../../../../lib/polling/model/ledger-entry.ts";
import { digestOf, type Run, readRecord } from "../../../../lib/polling/model/records.ts";

const MINUTE = 60_000;

function run(...answers: string[]): Run {
  const records = answers.map((answer, i) => ({ responseId: 7, questionId: i, completed: 1, answer }));
  return { responseId: 7, records: records.map((record) => readRecord(record)) };
}

const told = run("a", "b");
const entry: LedgerEntry = { id: 7, state: "emitted", digest: digestOf(told), count: told.records.length };

interface Reading {
  of: Run;
  at: number;
  isFull?: boolean;
}
const restless = [1, 2, 3, 4].map((i): Reading => ({ of: run("a", `${i}`), at: i * MINUTE }));
const changed = (at: number): Reading => ({ of: run("a", "c"), at });

// R20: the outcomes of readings one after the other, each with its own entry as the one before has left it.
it.each<[what: string, readings: Reading[], outcomes: string[]]>([
  [
    "is told once it has read the same twice, a minute apart",
    [changed(0), changed(MINUTE / 2), changed(MINUTE)],
    ["noted", "nothing", "told"],
  ],
  [
    "with fewer records is looked at by full reads alone",
    [false, true].map((isFull) => ({ of: run("a"), at: 0, isFull })),
    ["nothing", "noted"],
  ],
  ["that differs at each reading is left after three of them", restless, ["noted", "noted", "noted", "nothing"]],
  ["but by full reads", restless.map((one) => ({ ...one, isFull: true })), Array(4).fill("noted")],
])("a response that reads otherwise than its event %s", (_what, readings, outcomes) => {
  let now = entry;
  const seen = readings.map(({ of, at, isFull = false }) => {
    const one = seeChange(of, now, differences(of, now), { at, isFull });
    if (one.kind === "noted") now = one.entry;
    return one.kind;
  });
  expect(seen).toEqual(outcomes);
});

it("an update names what differs, and when that was seen first", () => {
  const of = run("a", "c");
  const first = seeChange(of, entry, ["answers"], { at: 1_000, isFull: false });
  if (first.kind !== "noted") throw new Error(first.kind);
  expect(seeChange(of, first.entry, differences(of, entry), { at: 1_000 + MINUTE, isFull: false })).toEqual({
    kind: "told",
    replaces: { entry: first.entry, changes: ["answers"], observedAt: 1_000 },
  });
});

it("a response is not compared while it is open", () => {
  const open: Run = { responseId: 7, records: [readRecord({ responseId: 7, completed: 0, answer: "x" })] };
  expect(differences(open, entry)).toEqual([]);
});
