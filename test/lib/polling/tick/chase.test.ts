import { describe, expect, it } from "vitest";
import type { Chase, SurveyRow } from "../../../../lib/polling/model/account.ts";
import {
  asksForHead,
  asksForSearch,
  type ChasePoll,
  grownBy,
  nextChase,
  noChase,
} from "../../../../lib/polling/tick/chase.ts";
import { fullTrust } from "../../../../lib/polling/tick/trust.ts";
import { HOUR, MINUTE, noon } from "../../../support/survey.ts";

const rowWith = (chase: Chase, counts: SurveyRow["counts"] = [0, 0, 0]): SurveyRow => ({
  counts,
  chase,
  trust: fullTrust,
  polledAt: noon,
  workedAt: noon,
  activeAt: noon,
});

interface Poll extends Partial<ChasePoll> {
  grown?: number;
}

/** A reading of the head that is not complete, unless said otherwise. */
function chaseAfter(polls: Poll[], chase: Chase = noChase): Chase {
  const poll = {
    now: noon,
    found: 0,
    complete: false,
    headRead: true,
    resumed: false,
    sought: undefined,
    foundBelow: 0,
    missing: 0,
  };
  return polls.reduce<Chase>(
    (now, { grown = 0, ...more }) => nextChase(grown, rowWith(now), { ...poll, ...more }),
    chase,
  );
}

const shown: Poll = { grown: 1 };
const idle: Poll = {};
const searching = chaseAfter([shown, ...Array.from({ length: 5 }, () => idle)]);

describe("how far the counts have grown", () => {
  it("is by the one that grew most; shrinking, unreadable and new ones say nothing", () => {
    expect(grownBy([5, 9, 3], rowWith(noChase, [4, 6, 3]))).toBe(3);
    expect(grownBy([1, 1, 1], rowWith(noChase, [4, 6, 3]))).toBe(0);
    expect(grownBy([null, 7, 3], rowWith(noChase, [4, null, 3]))).toBe(0);
    expect(grownBy([5, 9, 3], undefined)).toBe(0);
  });
});

describe("what a count has shown and no scan has found", () => {
  it("is nothing while all of it is found", () => {
    expect(chaseAfter([{ grown: 3, found: 3 }])).toEqual(noChase);
  });

  it("asks for the head at five more polls, and then for a search below it", () => {
    let chase = chaseAfter([shown]);
    for (let poll = 0; poll < 5; poll += 1) {
      expect([asksForHead(chase), asksForSearch(chase, noon)]).toEqual([true, false]);
      chase = chaseAfter([idle], chase);
    }
    expect([asksForHead(chase), asksForSearch(chase, noon)]).toEqual([false, true]);
  });

  it("is searched for again after a search that has found nothing as soon as one is known to be complete", () => {
    const resting = chaseAfter([{ complete: true, sought: 0 }], searching);
    expect(asksForSearch(chaseAfter([{ grown: 1 }, idle, idle, idle, idle, idle], resting), noon)).toBe(false);
    expect(asksForSearch(chaseAfter([{ missing: 1, headRead: false }], resting), noon)).toBe(true);
  });

  it("is settled by what is found later, wherever that is", () => {
    expect(asksForHead(chaseAfter([shown, { found: 1 }]))).toBe(false);
    expect(asksForSearch(chaseAfter([{ found: 1, sought: 1, foundBelow: 1 }], searching), noon)).toBe(false);
    expect(chaseAfter([{ grown: 3 }, { found: 1 }]).missing).toBe(2);
  });

  it("is looked for below the head at once where the last one was found there, until one is found at the head", () => {
    const deep = chaseAfter([{ found: 1, sought: 1, foundBelow: 1 }], searching);
    expect(asksForSearch(chaseAfter([shown, idle], deep), noon)).toBe(true);
    const atHead = chaseAfter([{ grown: 1, found: 1 }], deep);
    expect(asksForSearch(chaseAfter([shown, idle], atHead), noon)).toBe(false);
  });

  it("is given up when a search to the end of the list met nothing, and looked for again after an hour at the soonest", () => {
    const over = chaseAfter([{ complete: true, sought: 0 }], searching);
    expect(over).toEqual({ ...noChase, restUntil: noon + HOUR });
    const again = chaseAfter([shown, ...Array.from({ length: 5 }, () => idle)], over);
    expect(again.seeking).toBe(true);
    expect(asksForSearch(again, noon + HOUR - 1)).toBe(false);
    expect(asksForSearch(again, noon + HOUR)).toBe(true);
  });

  it("is not given up by a search that has not come to the end", () => {
    expect(chaseAfter([{ sought: undefined }], searching)).toEqual(searching);
    expect(chaseAfter([{ complete: true, sought: undefined }], searching)).toEqual(searching);
  });

  it("is looked for below the head without delay when operation 9 told of it", () => {
    const told = chaseAfter([{ missing: 2, headRead: false }]);
    expect([told.missing, asksForHead(told), asksForSearch(told, noon)]).toEqual([2, false, true]);
  });
});

describe("a pass over several polls", () => {
  it("is followed by one look for what arrived behind it", () => {
    const poll = {
      now: noon,
      found: 500,
      complete: true,
      headRead: true,
      resumed: true,
      sought: undefined,
      foundBelow: 0,
      missing: 0,
    };
    expect(asksForSearch(nextChase(0, undefined, poll), noon)).toBe(true);
    expect(nextChase(0, undefined, { ...poll, resumed: false })).toEqual(noChase);
  });

  it("settles nothing of what the counts have shown meanwhile: what it found was there before", () => {
    expect(chaseAfter([{ grown: 1, found: 500, resumed: true, now: noon + MINUTE }]).missing).toBe(1);
  });
});
