import { describe, expect, it } from "vitest";
import { oddRecords } from "../service/odd-records.ts";
import type { Traits } from "../service/survey-model.ts";
import { noCuts } from "./chooser.ts";
import { faultNames } from "./faults.ts";
import { oddCorner } from "./likelihood.ts";
import { type Plan, planHistory } from "./plan.ts";

/** The traits that have named values, with all of these. */
type Named = {
  [Trait in keyof Traits as Traits[Trait] extends string ? Trait : never]: Record<
    Extract<Traits[Trait], string>,
    "ordinary" | "odd"
  >;
};

/** What a survey's service may be like. */
const every: Named = {
  sortKey: { responseId: "ordinary", dateStart: "ordinary", dateCompleted: "ordinary", hash: "odd", reversed: "odd" },
  layout: { contiguous: "ordinary", interleaved: "odd", scattered: "odd" },
  openDate: { null: "ordinary", empty: "ordinary", zeros: "ordinary", start: "ordinary" },
  pastEnd: {
    empty: "ordinary",
    "no-content": "ordinary",
    "not-found": "ordinary",
    "bad-request": "ordinary",
    repeat: "odd",
    fault: "odd",
  },
  counts: {
    right: "ordinary",
    lagging: "ordinary",
    frozen: "ordinary",
    starts: "ordinary",
    one: "ordinary",
    lying: "odd",
    odd: "odd",
  },
  single: {
    right: "ordinary",
    "not-open": "ordinary",
    gone: "odd",
    more: "odd",
    fewer: "odd",
    bare: "odd",
    failing: "odd",
  },
  ties: { none: "ordinary", records: "ordinary", responses: "ordinary", both: "ordinary" },
  volatile: { none: "ordinary", undocumented: "odd", comment: "odd", order: "odd" },
  metricsAs: { map: "ordinary", list: "odd", bare: "odd" },
  metadataAs: { one: "ordinary", several: "odd", anonymous: "odd" },
};

/** Options of the source, the world and the surveys beside them. */
const others = [
  ...[
    "weather:calm",
    "interval:5",
    "interval:30",
    "start:beginning",
    "start:date",
    "surveys:exclude",
    "surveys:include",
  ],
  ...["enrich-metrics:off", "enrich-metadata:off", "privacy-ip:truncate", "privacy-ip:drop", "privacy-referrer:drop"],
  ...["privacy-comments:drop", "restless:0.04", "restless:0.2", "restless:0.6", "latency:300", "latency:1500"],
  ...["index-lag:3000", "clock-change", "new-surveys", "tight-budget", "long-list", "rare-full-read", "desc:stable"],
  ...["open:listed", "answers:one", "answers:many", "answers:huge", "single:late", "single:failing"],
  ...["metrics:late", "metrics:never", "metrics:failing", "metrics:failing-for-ever"],
  ...["metadata:late", "metadata:never", "metadata:failing", "metadata:failing-for-ever"],
];

const PLANS = 2_000;

describe("the plan of a history", () => {
  const plans = Array.from({ length: PLANS }, (_, i) => planHistory(i + 1, noCuts));
  const odd = plans.filter(({ met }) => met.has("odd-corner"));
  const ordinary = plans.filter(({ met }) => !met.has("odd-corner"));
  const surveysOf = (some: Plan[]): Plan["surveys"] => some.flatMap(({ surveys }) => surveys);

  it("is an ordinary one three times in four", () => {
    expect(ordinary.length / PLANS).toBeGreaterThan(0.72);
    expect(ordinary.length / PLANS).toBeLessThan(0.78);
  });

  it.each(Object.entries(every))("draws every %s, and what is odd only in the odd corner", (trait, values) => {
    const drawn = (some: Plan[]): string[] => [
      ...new Set(surveysOf(some).map(({ traits }) => traits[trait as keyof Named])),
    ];
    const named = Object.entries(values);
    const plain = named.filter(([, kind]) => kind === "ordinary").map(([name]) => name);
    expect(drawn(ordinary).sort()).toEqual(plain.sort());
    expect(drawn(odd).sort()).toEqual(named.map(([name]) => name).sort());
  });

  it("draws everything of the odd corner there, and nothing of it elsewhere", () => {
    const drawn = new Set(odd.flatMap(ingredientsOf));
    expect(oddCorner.filter((name) => !hasIngredient(drawn, name))).toEqual([]);
    const elsewhere = new Set(ordinary.flatMap(ingredientsOf));
    expect(oddCorner.filter((name) => hasIngredient(elsewhere, name))).toEqual([]);
  });

  it("draws every option that is not odd, fault, odd record and mishap of a process in ordinary histories", () => {
    const met = new Set(ordinary.flatMap((plan) => [...plan.met]));
    expect(others.filter((name) => !met.has(name))).toEqual([]);
    const faults = new Set(ordinary.flatMap(({ faults }) => Object.keys(faults.rates)));
    expect(faultNames.filter((name) => !faults.has(name))).toEqual([]);
    const records = new Set(surveysOf(ordinary).flatMap(({ responses }) => responses.map((one) => one.odd)));
    expect(oddRecords.filter((name) => !records.has(name))).toEqual([]);
    const runs = ordinary.flatMap(({ workers }) => workers.runs.flat());
    expect(runs.some(({ diesPublishing }) => diesPublishing)).toBe(true);
    expect(runs.some(({ freezesAfter }) => freezesAfter !== undefined)).toBe(true);
  });
});

/** What may happen in a history, by name: flags are only noted when it does. */
function ingredientsOf({ met, surveys }: Plan): string[] {
  const flags = surveys.flatMap(({ hidden, gone, broken, oddCreated, orphansAt, flips }) => [
    ...(hidden === undefined ? [] : ["survey-hidden"]),
    ...(gone === undefined ? [] : ["survey-gone"]),
    ...(broken === undefined ? [] : ["pages-fail"]),
    ...(oddCreated ? ["created-odd"] : []),
    ...(orphansAt.length > 0 ? ["orphan-records"] : []),
    ...flips.map(({ name }) => name),
  ]);
  return [...met, ...flags];
}

/** A name without an option stands for all options but the plain one. */
function hasIngredient(names: Set<string>, name: string): boolean {
  return names.has(name) || names.values().some((one) => one.startsWith(`${name}:`));
}
