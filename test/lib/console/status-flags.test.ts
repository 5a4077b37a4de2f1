import { expect, it } from "vitest";
import type { SourceStatus, StatusAnswer } from "../../../lib/cli/verbs/status/answer.ts";
import { flagsBetween } from "../../../lib/console/look.ts";

const source = (more: Partial<SourceStatus> = {}): SourceStatus => ({
  ...{ source: "main", firstTick: 1, lastTick: 1, listedAt: 1, pausedUntil: null, pausedSince: null, rate: null },
  ...{ outages: [], unlisted: [], start: null, awaits: [], problem: null },
  ...more,
});
const status = (verdict: StatusAnswer["verdict"], more?: Partial<SourceStatus>): StatusAnswer =>
  ({ verdict, sentence: `${verdict}.`, sources: [source(more)] }) as Partial<StatusAnswer> as StatusAnswer;

const FOREVER = 9e15;

it("tells a pause of an operator once, and how long it was when it ends", () => {
  const [running, paused] = [status("complete"), status("late", { pausedSince: 100, pausedUntil: FOREVER })];

  expect(flagsBetween(running, paused, 200)).toEqual([
    { at: 200, kind: "pause", text: "main is paused by an operator" },
  ]);
  expect(flagsBetween(paused, paused, 300)).toEqual([]);
  expect(flagsBetween(paused, running, 400)).toEqual([
    { at: 400, kind: "pause", text: "main goes on after the pause of an operator", span: [100, 400] },
  ]);
});

it("tells each time that the service asks for", () => {
  const until = (pausedUntil: number | null) => status("late", { pausedUntil });

  expect(flagsBetween(until(null), until(500), 200)).toMatchObject([{ kind: "pause", span: [200, 500] }]);
  expect(flagsBetween(until(500), until(500), 300)).toEqual([]);
  expect(flagsBetween(until(500), until(900), 450)).toMatchObject([{ kind: "pause", span: [450, 900] }]);
  expect(flagsBetween(until(900), until(null), 950)).toEqual([]);
});

it("tells what somebody may be woken for, and its end", () => {
  const [complete, late, gap] = [status("complete"), status("late"), status("unaccounted")];

  expect(flagsBetween(complete, late, 1)).toEqual([{ at: 1, kind: "verdict", text: "late." }]);
  expect(flagsBetween(late, late, 2)).toEqual([]);
  expect(flagsBetween(late, gap, 3)).toEqual([{ at: 3, kind: "verdict", text: "unaccounted." }]);
  expect(flagsBetween(gap, complete, 4)).toEqual([{ at: 4, kind: "verdict", text: "complete." }]);
  expect(flagsBetween(complete, status("working"), 5)).toEqual([]);
  expect(flagsBetween(null, late, 6)).toEqual([]);
});
