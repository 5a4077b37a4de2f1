import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { outcomeOf, waitAfter } from "../../../lib/webhooks/outcome.ts";

describe("an answer", () => {
  it.each([
    ["taken", [200, 201, 202, 204, 299]],
    ["retried", [401, 403, 407, 408, 409, 425, 429, 500, 502, 503, 504, 599, null]],
    ["given-up", [100, 301, 302, 304, 307, 308, 400, 402, 404, 405, 410, 411, 413, 415, 422, 451]],
  ] as const)("means that the event is %s: %j", (outcome, all) => {
    for (const status of all) expect([status, outcomeOf(status)]).toEqual([status, outcome]);
  });

  it("that is tried again stands in the table of docs/webhooks.md, and no other one does", () => {
    const [, row = ""] = /^\| (.*) \| tried again/m.exec(readFileSync("docs/webhooks.md", "utf8")) ?? [];
    const documented = [...row.matchAll(/\d{3}/g)].map(([status]) => Number(status));
    const all = Array.from({ length: 400 }, (_, i) => 100 + i).filter((status) => outcomeOf(status) === "retried");
    expect(documented).toEqual(all);
    expect(row).toMatch(/5xx.*no answer/);
  });
});

describe("the wait after a failure", () => {
  it("doubles from 5 s to ten minutes", () => {
    const waits = Array.from({ length: 10 }, (_, i) => waitAfter(i + 1, undefined, 0.5) / 1_000);
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600, 600]);
  });

  it("is spread by a fifth, and stays below the quarter of an hour that the alarm looks at", () => {
    expect([0, 1].map((random) => waitAfter(1, undefined, random))).toEqual([4_000, 6_000]);
    expect(waitAfter(1_000, undefined, 1)).toBeLessThan(15 * 60_000);
  });

  it("is what the endpoint asks for where that is longer, up to an hour", () => {
    expect(waitAfter(1, 120_000, 0.5)).toBe(120_000);
    expect(waitAfter(8, 120_000, 0.5)).toBe(600_000);
    expect(waitAfter(1, 86_400_000, 0.5)).toBe(3_600_000);
  });
});
