import { expect, it } from "vitest";
import { isHeldDue, nextLook } from "../../../../lib/polling/ledger/entries.ts";
import { HOUR, MINUTE, noon, range } from "../../../support/survey.ts";

const isDue = (attempts: number, after: number): boolean =>
  isHeldDue({ id: 1, state: "held", attempts, nextCheck: nextLook(attempts, noon, MINUTE) }, noon + after);

// R6
it("a response is looked at again at each poll before it is held", () => {
  for (const attempts of [0, 1, 2]) expect(isDue(attempts, 0)).toBe(true);
});

it("a held response is looked at again after pauses that double, from five minutes up to a day", () => {
  let pause = 5 * MINUTE;
  for (const attempts of range(3, 16)) {
    expect([isDue(attempts, pause - 1), isDue(attempts, pause)]).toEqual([false, true]);
    pause = Math.min(2 * pause, 24 * HOUR);
  }
});
