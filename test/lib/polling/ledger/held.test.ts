import { describe, expect, it } from "vitest";
import { isHeldDue } from "../../../../lib/polling/ledger/entries.ts";
import type { LedgerEntry } from "../../../../lib/polling/model/ledger-entry.ts";
import { HOUR, MINUTE, noon, range } from "../../../support/survey.ts";

const DAY = 24 * HOUR;

// R6
describe("a held response is looked at again", () => {
  const entry = (attempts: number): LedgerEntry => ({ id: 7, state: "held", firstSeen: noon, attempts });
  /** Milliseconds from the first look. */
  const pauseAfter = (attempts: number): number => {
    let [low, high] = [-1, 1_000 * DAY];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isHeldDue(entry(attempts), noon + middle)) high = middle;
      else low = middle;
    }
    return high;
  };

  it("at each poll before it is held", () => {
    for (const attempts of [0, 1, 2]) expect(isHeldDue(entry(attempts), noon)).toBe(true);
    expect(isHeldDue(entry(3), noon)).toBe(false);
  });

  it("after pauses that double, from five minutes up to a day", () => {
    const looks = range(3, 16).map(pauseAfter);
    const pauses = looks.slice(1).map((at, i) => at - (looks[i] ?? 0));
    expect(looks[0]).toBe(5 * MINUTE);
    expect(pauses.slice(0, 3)).toEqual([10 * MINUTE, 20 * MINUTE, 40 * MINUTE]);
    for (const [i, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(pauses[i - 1] ?? 0);
      expect(pause).toBeLessThanOrEqual(DAY);
    }
    expect(pauses.at(-1)).toBe(DAY);
  });
});
