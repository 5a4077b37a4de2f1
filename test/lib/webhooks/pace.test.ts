import { expect, it } from "vitest";
import { paceOf } from "../../../lib/webhooks/pace.ts";

const rates = Array.from({ length: 300 }, (_, i) => i + 1);

it("never exceeds the rate: so many invocations, each with so long between two requests", () => {
  for (const rate of rates) {
    const { concurrency, spacing } = paceOf(rate);
    expect((concurrency * 1_000) / spacing).toBeCloseTo(rate);
  }
});

it("is what an event source mapping takes, and leaves each request its 30 s within the 40 s of the function", () => {
  for (const rate of rates) {
    const { concurrency, spacing, batchSize } = paceOf(rate);
    expect(concurrency).toBeGreaterThanOrEqual(2);
    expect(concurrency).toBeLessThanOrEqual(12);
    expect(batchSize).toBeGreaterThanOrEqual(1);
    expect(batchSize).toBeLessThanOrEqual(10);
    expect((batchSize - 1) * spacing).toBeLessThanOrEqual(5_000);
  }
});

it("is two invocations of ten messages by default", () => {
  expect(paceOf(10)).toEqual({ concurrency: 2, spacing: 200, batchSize: 10 });
});
