import { UNPROVED } from "../../lib/polling/ledger/held.ts";
import { type Decision, decide, type Judgement } from "../../lib/polling/ledger/judge.ts";
import type { EntryState, LedgerEntry } from "../../lib/polling/model/ledger-entry.ts";
import { type Run, readRecord } from "../../lib/polling/model/records.ts";

// The judging table of lib/polling/ledger/judge.ts, asked case by case: picture and table show what the code decides.

const NOW = Date.UTC(2026, 2, 10, 12);
const START = "2026-03-10 10:00:00";
const BY: Judgement = {
  start: { from: "now", at: START },
  hasBooks: false,
  now: NOW,
  looksAtHeld: false,
  replaces: true,
};

interface Known {
  name: string;
  state: EntryState | "unknown";
  entry: LedgerEntry | undefined;
  by?: Partial<Judgement>;
}

const entry = (state: EntryState, more: Partial<LedgerEntry> = {}): LedgerEntry => ({ id: 1, state, ...more });
const held = { reason: UNPROVED, firstSeen: NOW, attempts: 3 };

const KNOWN: readonly Known[] = [
  { name: "unknown, no books yet", state: "unknown", entry: undefined },
  { name: "unknown", state: "unknown", entry: undefined, by: { hasBooks: true } },
  { name: "emitted", state: "emitted", entry: entry("emitted") },
  { name: "emitted, short", state: "emitted", entry: entry("emitted", { count: 0 }) },
  { name: "before-floor", state: "before-floor", entry: entry("before-floor") },
  { name: "open", state: "open", entry: entry("open") },
  { name: "waiting", state: "waiting", entry: entry("waiting") },
  { name: "held, until its next look", state: "held", entry: entry("held", held) },
  { name: "held, time for a look", state: "held", entry: entry("held", held), by: { looksAtHeld: true } },
  { name: "quarantined", state: "quarantined", entry: entry("quarantined") },
  { name: "refused", state: "refused", entry: entry("refused") },
];

interface Reading {
  name: string;
  completed: unknown;
  date: string | null;
  by?: Partial<Judgement>;
}

const READINGS: readonly Reading[] = [
  { name: "open", completed: 0, date: null },
  { name: "unreadable", completed: "perhaps", date: null },
  { name: "completed after the start", completed: 1, date: "2026-03-10 11:00:00" },
  { name: "completed before it", completed: 1, date: "2026-03-10 09:00:00" },
  {
    name: "asked for by a backfill",
    completed: 1,
    date: "2026-02-01 00:00:00",
    by: { backfill: { from: "2026-01-01 00:00:00", to: "2026-03-01 00:00:00" } },
  },
];

function decided(known: Known, { completed, date, by }: Reading): Decision {
  const run: Run = { responseId: 1, records: [readRecord({ responseId: 1, completed, dateCompleted: date })] };
  return decide(run, known.entry, { ...BY, ...known.by, ...by });
}

/** The decision for each state in the ledger (row) and each reading of the response (column), as a Markdown table. */
export function stateTable(): string {
  const head = ["in the ledger", ...READINGS.map(({ name }) => name)];
  const rows = KNOWN.map((known) => [known.name, ...READINGS.map((reading) => decided(known, reading))]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The state that a decision leads to. `emit` may end in four states, by proof, details and bus. */
const LEADS_TO: Record<Decision, string | undefined> = {
  settled: undefined,
  "before-floor": "before_floor",
  open: "open",
  emit: "publish",
  replace: "publish",
  quarantine: "quarantined",
};

/** Ends of an attempt to publish, and what makes the next attempt (R6, R17, R18). */
const PUBLISHED = [
  "publish --> emitted: taken",
  "publish --> waiting: something fails",
  "publish --> held: no proof",
  "publish --> refused: for good",
  "waiting --> publish: next attempt",
  "refused --> publish: a redrive",
  "quarantined --> publish: a redrive",
];

/** Mermaid text of the states of a response, and of the decisions that lead from one to another. */
export function statePicture(): string {
  const edges = new Map<string, Set<string>>();
  for (const known of KNOWN) {
    const from = known.state === "unknown" ? "[*]" : known.state.replace("-", "_");
    for (const reading of READINGS) {
      const decision = decided(known, reading);
      const to = LEADS_TO[decision];
      if (to === undefined || to === from) continue;
      const edge = `${from} --> ${to}`;
      edges.set(edge, (edges.get(edge) ?? new Set()).add(decision));
    }
  }
  const judged = [...edges].map(([edge, decisions]) => `${edge}: ${[...decisions].join(", ")}`);
  return [
    "stateDiagram-v2",
    "  direction LR",
    "  before_floor: before-floor",
    "  publish: to be published",
    ...[...judged, ...PUBLISHED].map((line) => `  ${line}`),
  ].join("\n");
}
