import { describe, expect, it } from "vitest";
import type { CountEvidence, SurveyRow } from "../../../../lib/polling/model/account.ts";
import { noChase } from "../../../../lib/polling/tick/chase.ts";
import { learnCounts, reliable } from "../../../../lib/polling/tick/count-evidence.ts";
import { fullTrust } from "../../../../lib/polling/tick/trust.ts";

type Counts = SurveyRow["counts"];

const rowOf = (counts: Counts): SurveyRow => ({
  counts,
  chase: noChase,
  trust: fullTrust,
  polledAt: 0,
  workedAt: 0,
  activeAt: 0,
});

/** What is learned from polls in a row: by how much each count moved, and how many new responses were found. */
function learned(polls: { moved: number[]; found: number }[], start?: CountEvidence[]): CountEvidence[] | undefined {
  let counts: Counts = [0, 0, 0];
  let evidence = start;
  for (const { moved, found } of polls) {
    const next = counts.map((count, i) => (count ?? 0) + (moved[i] ?? 0));
    evidence = learnCounts(evidence, next, rowOf(counts), found);
    counts = next;
  }
  return evidence;
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
/** `responses` counts starts as well, `correct` completions alone, `unpaidResponses` nothing. */
const start = { moved: [1, 0, 0], found: 0 };
const completion = { moved: [1, 1, 0], found: 1 };

describe("which count moves with a completion", () => {
  it("is not known at first, nor of a survey polled for the first time", () => {
    expect(reliable(undefined)).toEqual([]);
    expect(learnCounts(undefined, [5, 5, 0], undefined, 5)).toBeUndefined();
  });

  it("does not matter while none of them moves for nothing: any move is a hint", () => {
    expect(reliable(learned(times(100, completion)))).toEqual([]);
  });

  it("is learned once another one has moved for nothing often enough", () => {
    const enough = [...times(20, completion), ...times(21, start)];
    expect(reliable(learned(enough))).toEqual([1]);
    expect(reliable(learned(enough.slice(1)))).toEqual([]);
    expect(reliable(learned([...times(20, completion), ...times(20, start)]))).toEqual([]);
  });

  it("is never one that stood still although a response was found", () => {
    const polls = [...times(20, completion), ...times(30, start), { moved: [1, 0, 0], found: 1 }];
    expect(reliable(learned(polls))).toEqual([]);
  });

  it("is forgotten as a whole when the one relied upon fails", () => {
    const evidence = learned([...times(20, completion), ...times(30, start)]);
    expect(reliable(evidence)).toEqual([1]);
    const failed = learned([{ moved: [0, 0, 0], found: 1 }], evidence);
    expect(failed).toEqual(times(3, { hits: 0, idle: 0, misses: 0 }));
  });

  it("is not touched by polls that found nothing while nothing moved", () => {
    const evidence = learned([completion, start]);
    expect(learned(times(10, { moved: [0, 0, 0], found: 0 }), evidence)).toEqual(evidence);
  });
});
