import { describe, expect, it } from "vitest";
import { type HintPoll, nextHint } from "../../../lib/polling/hints.ts";
import type { Hint } from "../../../lib/polling/model/account.ts";
import { HOUR } from "../../support/survey.ts";

const NOON = Date.UTC(2026, 2, 28, 12);

function polled(more: Partial<HintPoll> = {}): HintPoll {
  return { grown: 0, sought: 0, found: 0, isBehind: false, closedNow: false, ...more };
}

const hint = (missing: number, tries: number, nextAt: number): Hint => ({ missing, tries, nextAt });

// R21
describe("a hint", () => {
  it.each<[string, Hint | undefined, Partial<HintPoll>, Hint | undefined]>([
    ["is a count that has grown without a find", undefined, { grown: 2 }, hint(2, 0, NOON)],
    ["is none where as many were found", undefined, { grown: 2, found: 2 }, undefined],
    ["in vain rests for an hour", hint(1, 0, NOON), { below: "vain" }, hint(1, 1, NOON + HOUR)],
    ["in vain again rests for two", hint(1, 1, NOON), { below: "vain" }, hint(1, 2, NOON + 2 * HOUR)],
    ["rests for a day at most", hint(1, 9, NOON), { below: "vain" }, hint(1, 10, NOON + 24 * HOUR)],
    ["that rests goes on resting while counts grow", hint(1, 1, NOON + HOUR), { grown: 1 }, hint(2, 1, NOON + HOUR)],
    [
      "rests no longer once something is found below",
      hint(3, 4, NOON + HOUR),
      { found: 1, below: "found" },
      hint(2, 0, NOON),
    ],
    [
      "rests on when something is found at the head",
      hint(1, 4, NOON + HOUR),
      { grown: 1, found: 1 },
      hint(1, 4, NOON + HOUR),
    ],
    ["is less than none where more was found than has grown", undefined, { grown: 1, found: 2 }, hint(-1, 0, NOON)],
    ["owes no more than its poll has found", hint(-1, 0, NOON), { grown: 1, found: 2 }, hint(-2, 0, NOON)],
    ["owes less once counts have grown without a find", hint(-2, 0, NOON), { grown: 1 }, undefined],
    ["is none once counts have grown by what was found before", hint(-1, 0, NOON), { grown: 1 }, undefined],
    ["is none where something is found while counts stand still", undefined, { found: 2 }, undefined],
    ["is over with books that close", hint(3, 1, NOON + HOUR), { closedNow: true }, undefined],
    ["stays as it is while a full read goes on", hint(3, 1, NOON + HOUR), { isBehind: true }, hint(3, 1, NOON + HOUR)],
  ])("%s", (_, before, poll, after) => {
    expect(nextHint(before, polled(poll), NOON)).toEqual(after);
  });
});
