import { describe, expect, it } from "vitest";
import {
  answered,
  type Breaker,
  closedBreakers,
  downtime,
  failed,
  isOpen,
  isSuspected,
  opened,
} from "../../../../lib/polling/model/breaker.ts";

// R17
const { metrics: closed } = closedBreakers();
const HOUR = 3_600_000;

/** After failures of these responses, one a second from second 1 on. */
function failuresOf(...responses: string[]): Breaker {
  return responses.reduce((breaker, response, i) => failed(breaker, (i + 1) * 1_000, response), closed);
}

describe("an operation is suspected", () => {
  it("once three different responses have failed since its last answer, however often each", () => {
    expect(isSuspected(failuresOf("1/1", "1/2"))).toBe(false);
    expect(isSuspected(failuresOf("1/1", "1/1", "1/1", "1/1"))).toBe(false);
    expect(isSuspected(failuresOf("1/1", "1/2", "1/1", "2/1"))).toBe(true);
  });

  it("no more after an answer: the count begins anew", () => {
    const breaker = answered(failuresOf("1/1", "1/2"), 3_000, { surveyId: 1, responseId: 9 });
    expect(isSuspected(failed(breaker, 4_000, "1/3"))).toBe(false);
    expect(breaker.answered).toEqual({ surveyId: 1, responseId: 9 });
  });
});

describe("an open breaker", () => {
  const open = opened(failuresOf("1/1", "1/2", "1/3"), 5_000);

  it("has been open since the first of the failures, through more of them, until the next answer", () => {
    expect(isOpen(open, 61_000)).toBe(true);
    expect(opened(failed(open, 50_000, "1/4"), 60_000)).toMatchObject({ phase: "open", since: 1_000 });
    expect(isOpen(answered(open, 70_000), 80_000)).toBe(false);
  });

  it("since the moment at which it was opened, where nothing had failed before", () => {
    expect(opened(closed, 5_000)).toMatchObject({ phase: "open", since: 5_000 });
  });

  it("keeps nothing waiting for more than a day", () => {
    expect(isOpen(open, 1_000 + 24 * HOUR - 1)).toBe(true);
    expect(isOpen(open, 1_000 + 24 * HOUR)).toBe(false);
    expect(downtime(open, 100 * HOUR)).toBe(24 * HOUR);
  });
});

describe("downtime", () => {
  it("does not count what was only suspected", () => {
    const breaker = failuresOf("1/1", "1/2", "1/3");
    expect(downtime(breaker, 60_000)).toBe(0);
    expect(downtime(answered(breaker, 60_000), 90_000)).toBe(0);
  });

  it("runs from the first of the failures to the next answer, and adds up", () => {
    const first = opened(failuresOf("1/1", "1/2", "1/3"), 5_000);
    expect(downtime(first, 61_000)).toBe(60_000);
    const over = answered(first, 101_000);
    expect(downtime(over, 900_000)).toBe(100_000);
    const again = opened(
      ["1/4", "1/5", "1/6"].reduce((breaker, key) => failed(breaker, 200_000, key), over),
      200_000,
    );
    expect(downtime(again, 250_000)).toBe(150_000);
  });

  it("keeps what was answered last when an answer cannot be asked for again", () => {
    const known = { ...closed, answered: { surveyId: 1, responseId: 2 } };
    expect(answered(known, 5)).toEqual(known);
  });
});
