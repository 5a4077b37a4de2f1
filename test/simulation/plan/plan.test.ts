import { describe, expect, it } from "vitest";
import { oddRecords } from "../service/odd-records.ts";
import { noCuts } from "./chooser.ts";
import { ODD_CORNER, oddCorner } from "./likelihood.ts";
import { type Plan, planHistory } from "./plan.ts";

const PLANS = 2_000;

describe("the plan of a history", () => {
  const plans = Array.from({ length: PLANS }, (_, i) => planHistory(i + 1, noCuts));
  const odd = plans.filter(({ met }) => met.has(ODD_CORNER));
  const ordinary = plans.filter(({ met }) => !met.has(ODD_CORNER));
  const offered = [...new Set(plans.flatMap(({ offers }) => [...offers.keys()]))];
  const drawnIn = (some: Plan[]) =>
    new Set(some.flatMap(({ offers }) => [...offers].filter(([, isDrawn]) => isDrawn).map(([name]) => name)));
  /** A name without an option stands for all options but the plain one. */
  const isOf = (ingredient: string) => (name: string) => ingredient === name || ingredient.startsWith(`${name}:`);

  it("is an ordinary one three times in four", () => {
    expect(ordinary.length / PLANS).toBeGreaterThan(0.72);
    expect(ordinary.length / PLANS).toBeLessThan(0.78);
  });

  it("draws all that it offers: what is odd in the odd corner alone, everything else in ordinary histories", () => {
    const [inOdd, inOrdinary] = [drawnIn(odd), drawnIn(ordinary)];
    const isOdd = (ingredient: string): boolean => oddCorner.some(isOf(ingredient));
    expect(offered.length).toBeGreaterThan(150);
    expect(oddCorner.filter((name) => !offered.some((ingredient) => isOf(ingredient)(name)))).toEqual([]);
    expect(offered.filter((one) => isOdd(one) && !inOdd.has(one))).toEqual([]);
    expect(offered.filter((one) => isOdd(one) === inOrdinary.has(one))).toEqual([]);
  });

  it("draws every odd record and mishap of a process in ordinary histories", () => {
    const records = new Set(
      ordinary.flatMap(({ surveys }) => surveys).flatMap(({ responses }) => responses.map((one) => one.odd)),
    );
    expect(oddRecords.filter((name) => !records.has(name))).toEqual([]);
    const runs = ordinary.flatMap(({ workers }) => workers.runs.flat());
    expect(runs.some(({ diesPublishing }) => diesPublishing)).toBe(true);
    expect(runs.some(({ freezesAfter }) => freezesAfter !== undefined)).toBe(true);
  });
});
