import { expect, it } from "vitest";
import { isHeldDue } from "../../../../lib/polling/ledger/entries.ts";
import { HOUR, MINUTE, noon, range } from "../../../support/survey.ts";

const isDue = (attempts: number, after: number): boolean => isHeldDue({ firstSeen: noon, attempts }, noon + after);

// R6
it("a response is looked at again at each poll before it is held", () => {
  for (const attempts of [0, 1, 2]) expect(isDue(attempts, 0)).toBe(true);
});

it("a held response is looked at again after pauses that double, from five minutes up to a day", () => {
  let [due, pause] = [0, 5 * MINUTE];
  for (const attempts of range(3, 16)) {
    due += pause;
    expect([isDue(attempts, due - 1), isDue(attempts, due)]).toEqual([false, true]);
    pause = Math.min(2 * pause, 24 * HOUR);
  }
});
