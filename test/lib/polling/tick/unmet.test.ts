import { describe, expect, it } from "vitest";
import type { SurveyRow, Unmet } from "../../../../lib/polling/model/account.ts";
import { fullTrust } from "../../../../lib/polling/tick/trust.ts";
import {
  asksForHead,
  asksForSearch,
  grownBy,
  nextUnmet,
  noneUnmet,
  type UnmetPoll,
} from "../../../../lib/polling/tick/unmet.ts";
import { HOUR, MINUTE, noon } from "../../../support/survey.ts";

const rowWith = (unmet: Unmet, counts: SurveyRow["counts"] = [0, 0, 0]): SurveyRow => ({
  counts,
  unmet,
  trust: fullTrust,
  polledAt: noon,
  slowAt: noon,
  slowEvery: HOUR,
  passAt: noon,
  workedAt: noon,
  passedAt: noon,
  restedAt: noon,
  activeAt: noon,
});

interface Poll extends Partial<UnmetPoll & UnmetPoll["counts"]> {
  grown?: number;
  now?: number;
}

/** A reading of the head that is not complete, unless said otherwise. */
function unmetAfter(polls: Poll[], unmet: Unmet = noneUnmet): Unmet {
  const poll = { headRead: true, resumed: false, vain: 0, foundBelow: 0, missing: 0 };
  return polls.reduce<Unmet>(
    (before, { grown = 0, now = noon, found = 0, ...more }) =>
      nextUnmet(grown, rowWith(before), { ...poll, counts: { found }, ...more }, now),
    unmet,
  );
}

const shown: Poll = { grown: 1 };
const idle: Poll = {};
const searching = unmetAfter([shown, ...Array.from({ length: 6 }, () => idle)]);

describe("how far the counts have grown", () => {
  it("is by the one that grew most; shrinking, unreadable and new ones say nothing", () => {
    expect(grownBy([5, 9, 3], rowWith(noneUnmet, [4, 6, 3]))).toBe(3);
    expect(grownBy([1, 1, 1], rowWith(noneUnmet, [4, 6, 3]))).toBe(0);
    expect(grownBy([null, 7, 3], rowWith(noneUnmet, [4, null, 3]))).toBe(0);
    expect(grownBy([5, 9, 3], undefined)).toBe(0);
  });
});

// R21
describe("what a count has shown and no scan has found", () => {
  it("is nothing while all of it is found", () => {
    expect(unmetAfter([{ grown: 3, found: 3 }])).toEqual(noneUnmet);
  });

  it("asks for the head at five more polls, and from the third on for a search below it too", () => {
    let unmet = unmetAfter([shown]);
    const asked: boolean[][] = [];
    for (let poll = 0; poll < 6; poll += 1) {
      asked.push([asksForHead(unmet), asksForSearch(unmet, noon)]);
      unmet = unmetAfter([idle], unmet);
    }
    expect(asked.map(([head]) => head)).toEqual([true, true, true, true, true, false]);
    expect(asked.map(([, search]) => search)).toEqual([false, false, true, true, true, true]);
  });

  it("asks for the head as often where a search ends in vain meanwhile: lists may lag behind counts", () => {
    const inVain = unmetAfter([shown, idle, idle, { vain: 1 }]);
    expect([asksForHead(inVain), asksForSearch(inVain, noon + MINUTE)]).toEqual([true, false]);
    expect(unmetAfter([idle, idle], inVain)).toEqual({ ...noneUnmet, restUntil: noon + HOUR });
  });

  it("is searched for again after a search that has found nothing as soon as one is known to be complete", () => {
    const resting = unmetAfter([{ vain: 1 }], searching);
    expect(asksForSearch(unmetAfter([{ grown: 1 }, idle, idle, idle, idle, idle], resting), noon)).toBe(false);
    expect(asksForSearch(unmetAfter([{ missing: 1, headRead: false }], resting), noon)).toBe(true);
  });

  it("is settled by what is found later, wherever that is", () => {
    expect(asksForHead(unmetAfter([shown, { found: 1 }]))).toBe(false);
    expect(asksForSearch(unmetAfter([{ found: 1, foundBelow: 1 }], searching), noon)).toBe(false);
    expect(unmetAfter([{ grown: 3 }, { found: 1 }]).missing).toBe(2);
  });

  it("is looked for below the head at once where the last one was found there, until one is found at the head", () => {
    const deep = unmetAfter([{ found: 1, foundBelow: 1 }], searching);
    expect(asksForSearch(unmetAfter([shown, idle], deep), noon)).toBe(true);
    const atHead = unmetAfter([{ grown: 1, found: 1 }], deep);
    expect(asksForSearch(unmetAfter([shown, idle], atHead), noon)).toBe(false);
  });

  it("is given up when a search to the end of the list met nothing; what is shown then is searched for after an hour", () => {
    const over = unmetAfter([{ vain: 1 }], searching);
    expect(over).toEqual({ ...noneUnmet, restUntil: noon + HOUR });
    const again = unmetAfter([shown, ...Array.from({ length: 5 }, () => idle)], over);
    expect([asksForHead(again), asksForSearch(again, noon + HOUR - 1)]).toEqual([false, false]);
    expect(asksForSearch(again, noon + HOUR)).toBe(true);
  });

  it("is looked for again after a search in vain where it was shown while that was under way", () => {
    const later = unmetAfter([{ grown: 1 }, { vain: 1 }, idle, idle, idle, idle, idle], searching);
    expect([asksForSearch(later, noon + HOUR - 1), asksForSearch(later, noon + HOUR)]).toEqual([false, true]);
  });

  it("is found by a poll that has failed since: a search that meets nothing any more is not in vain", () => {
    expect(unmetAfter([{ found: 1, vain: 1 }], searching)).toEqual(noneUnmet);
  });

  it("is not given up by a search that has not come to the end", () => {
    expect(unmetAfter([{ vain: 0 }], searching)).toEqual(searching);
  });

  it("is looked for below the head without delay when operation 9 told of it", () => {
    const told = unmetAfter([{ missing: 2, headRead: false }]);
    expect([told.missing, asksForHead(told), asksForSearch(told, noon)]).toEqual([2, false, true]);
  });
});

describe("a pass over several polls", () => {
  it("settles nothing of what the counts have shown meanwhile: what it found was there before", () => {
    expect(unmetAfter([{ grown: 1, found: 500, resumed: true, now: noon + MINUTE }]).missing).toBe(1);
  });
});
