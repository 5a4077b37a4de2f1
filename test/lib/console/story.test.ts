import { expect, it } from "vitest";
import type { ExplainAnswer } from "../../../lib/cli/verbs/explain/story.ts";
import type { EventRow, Flag } from "../../../lib/console/changes.ts";
import { matchedBy } from "../../../lib/console/rules.ts";
import { storyOf } from "../../../lib/console/story.ts";

const AT = 1_000_000;
const row = { isRepeat: false, missing: [] as string[] } as EventRow;

type Step = ExplainAnswer["steps"][number];
const step = (what: Step["what"], at: number | null, took: Step["took"] = []): Step => ({
  ...{ what, at: at === null ? null : AT + at },
  ...{ detail: `${what}.`, took },
});
const told = (...steps: Step[]): ExplainAnswer =>
  ({ sentence: "Emitted.", steps, log: { lines: 1, note: null } }) as Partial<ExplainAnswer> as ExplainAnswer;

const spansOf = (steps: Step[], flags: Flag[] = []) =>
  storyOf({ row, told: told(...steps), rules: [], flags, now: AT }).spans.map(({ name, kind, from, to }) => [
    ...[name, kind],
    ...(from === null || to === null ? [null, null] : [from - AT, to - AT]),
  ]);

const details: Step["took"] = [
  { what: "metrics", ms: 48 },
  { what: "metadata", ms: 51 },
];

it("gives each part of the way its length, from completion to the ledger", () => {
  const steps = [
    step("completed", 0),
    step("listed", 1_900),
    step("proved", null),
    step("details", null, details),
    step("bus", 2_000, [{ what: "bus", ms: 9 }]),
    step("ledger", 2_004, [{ what: "ledger", ms: 4 }]),
  ];

  expect(spansOf(steps)).toEqual([
    ["at the service", "waiting", 0, 1_900],
    ["listed", "moment", 1_900, 1_900],
    ["proved", "moment", null, null],
    ["metrics", "work", 1_943, 1_991],
    ["metadata", "work", 1_940, 1_991],
    ["bus", "work", 1_991, 2_000],
    ["ledger", "work", 2_000, 2_004],
  ]);
});

it("shows that a response has waited, and that the service was left alone meanwhile", () => {
  const steps = [
    step("completed", 0),
    step("listed", 1_000),
    step("details", null, details),
    step("bus", 61_060, [{ what: "bus", ms: 9 }]),
  ];
  const pause = (from: number, to: number): Flag => ({
    ...{ kind: "pause", text: "pause", at: AT + from },
    span: [AT + from, AT + to],
  });
  const flags: Flag[] = [
    pause(20_000, 40_000),
    pause(-9_000, -8_000),
    { kind: "token", text: "token", at: AT + 30_000 },
  ];

  expect(spansOf(steps, flags)).toContainEqual(["waited", "waiting", 1_000, 61_000]);
  expect(spansOf(steps, flags).filter(([, kind]) => kind === "pause")).toEqual([["pause", "pause", 20_000, 40_000]]);
  // One that began long before is shown for as long as the response has waited.
  expect(spansOf(steps, [pause(-9e9, 9e9)])).toContainEqual(["pause", "pause", 0, 61_060]);
});

it("says what it knows of an event of no response", () => {
  const { sentence, spans, facts } = storyOf({ row, told: undefined, rules: undefined, flags: [], now: AT });

  expect(sentence).toMatch(/no event of one response/);
  expect(spans).toEqual([]);
  expect(facts).toContainEqual(["Rules matched", "not known"]);
});

it("names the rules that an event goes to", () => {
  const rule = (name: string, pattern: string, isEnabled = true) => {
    return { name, pattern, isEnabled, targets: 1, types: [] };
  };
  const rules = [
    rule("detractors", '{"detail":{"nps":["detractor"]}}'),
    rule("promoters", '{"detail":{"nps":["promoter"]}}'),
    rule("off", '{"detail":{"nps":["detractor"]}}', false),
    rule("on a schedule", ""),
  ];

  expect(matchedBy({ detail: { nps: "detractor" } }, rules)).toEqual(["detractors"]);
});
