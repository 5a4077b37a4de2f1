import { describe, expect, it } from "vitest";
import type { Outage } from "../../../../lib/polling/model/outages.ts";
import {
  answered,
  confirmed,
  downtime,
  failed,
  isRunning,
  isSuspected,
} from "../../../../lib/polling/publish/outage.ts";

const working: Outage = { down: 0 };

/** After failures of these responses, one a second from second 1 on. */
function failuresOf(...responses: string[]): Outage {
  return responses.reduce((outage, response, i) => failed(outage, (i + 1) * 1_000, response), working);
}

describe("an operation is suspected", () => {
  it("once three different responses have failed since its last answer, however often each", () => {
    expect(isSuspected(failuresOf("1/1", "1/2"))).toBe(false);
    expect(isSuspected(failuresOf("1/1", "1/1", "1/1", "1/1"))).toBe(false);
    expect(isSuspected(failuresOf("1/1", "1/2", "1/1", "2/1"))).toBe(true);
  });

  it("no more after an answer: the count begins anew", () => {
    const outage = answered(failuresOf("1/1", "1/2"), 3_000, { surveyId: 1, responseId: 9 });
    expect(isSuspected(failed(outage, 4_000, "1/3"))).toBe(false);
    expect(outage.answered).toEqual({ surveyId: 1, responseId: 9 });
  });
});

describe("downtime", () => {
  it("does not count what was not confirmed", () => {
    const outage = failuresOf("1/1", "1/2", "1/3");
    expect(isRunning(outage)).toBe(false);
    expect(downtime(outage, 60_000)).toBe(0);
    expect(downtime(answered(outage, 60_000), 90_000)).toBe(0);
  });

  it("runs from the first of the failures to the next answer, and outages add up", () => {
    const first = confirmed(failuresOf("1/1", "1/2", "1/3"));
    expect(isRunning(first)).toBe(true);
    expect(downtime(first, 61_000)).toBe(60_000);

    const over = answered(first, 101_000);
    expect(isRunning(over)).toBe(false);
    expect(downtime(over, 900_000)).toBe(100_000);

    const again = confirmed(["1/4", "1/5", "1/6"].reduce((outage, key) => failed(outage, 200_000, key), over));
    expect(downtime(again, 250_000)).toBe(150_000);
  });

  it("goes on through more failures", () => {
    const outage = failed(confirmed(failuresOf("1/1", "1/2", "1/3")), 50_000, "1/4");
    expect(downtime(outage, 61_000)).toBe(60_000);
  });

  it("keeps what was answered last when an answer cannot be asked for again", () => {
    const outage = answered({ down: 0, answered: { surveyId: 1, responseId: 2 } }, 5);
    expect(outage).toEqual({ down: 0, answered: { surveyId: 1, responseId: 2 } });
  });
});
