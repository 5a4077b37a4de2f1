import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { MonitoringLevel } from "../../../lib/monitoring/catalog.ts";
import { type Price, type PricedTemplate, pricesOf, resourceTable, total } from "../../bench/cost/resources.ts";
import { costsAt, sum } from "../../bench/cost/within-minute.ts";
import { synthesize } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";

function pricesWith(level: MonitoringLevel): Price[] {
  const template = synthesize({ sources: [{ baseUrl }], monitoring: level });
  return pricesOf(template.toJSON() as PricedTemplate, level, 1);
}

const minimal = pricesWith("minimal");
const monitoring = minimal.filter(({ isMonitoring }) => isMonitoring);

describe("a stack at rest with one source", () => {
  it("by default is watched for at most $4 a month without the free tier, and for nothing with it", () => {
    expect(total(monitoring)).toBeGreaterThan(0);
    expect(total(monitoring)).toBeLessThanOrEqual(4);
    expect(total(monitoring, "withFreeTier")).toBe(0);
  });

  it("costs no more than $3.60 altogether", () => {
    expect(total(minimal)).toBeLessThanOrEqual(3.6);
  });

  it("is counted with everything that costs, from the template: series, alarms and secrets", () => {
    const of = (what: string) => minimal.find((price) => price.what.includes(what));
    expect(of("series")).toMatchObject({ count: 6, dollars: expect.closeTo(1.8) });
    expect(of("Alarm")).toMatchObject({ count: 7, dollars: expect.closeTo(0.7) });
    expect(of("Secret")).toMatchObject({ count: 2, dollars: expect.closeTo(0.8), withFreeTier: expect.closeTo(0.8) });
  });

  it("has the table of docs/cost.md that `npm run cost -- minimal` writes", () => {
    const page = readFileSync("docs/cost.md", "utf8");
    const [, written] = page.split("<!-- measured: minimal -->\n\n");
    expect(written?.split("\n\n<!-- end: minimal -->")[0]).toBe(resourceTable(minimal));
  });

  it('costs with `"monitoring": "full"` what docs/cost.md says', () => {
    const full = pricesWith("full");
    const [all, free] = [total(full), total(full, "withFreeTier")].map((dollars) => dollars.toFixed(2));
    expect(readFileSync("docs/cost.md", "utf8")).toContain(`together $${all}, or $${free} with the free tier`);
  });
});

describe("ticks every ten seconds", () => {
  it.each(["dollars", "withFreeTier"] as const)("cost at most a dollar a month more than each minute: %s", (column) => {
    const more = sum(costsAt(10_000), column) - sum(costsAt(60_000), column);
    expect(more).toBeGreaterThan(0.1);
    expect(more).toBeLessThanOrEqual(1);
  });

  it("cost what docs/cost.md says", () => {
    const figures = (["dollars", "withFreeTier"] as const).map((column) =>
      [10_000, 60_000].map((interval) => `$${sum(costsAt(interval), column).toFixed(2)}`).join(" instead of "),
    );
    expect(readFileSync("docs/cost.md", "utf8")).toContain(
      `${figures[0]} a month, or ${figures[1]} with the free tier`,
    );
  });
});
