import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { plantedFaults } from "../simulation/planted/faults.ts";
import { rareStates } from "../simulation/sometimes/registry.ts";

const text = readFileSync("docs/spec.md", "utf8");

interface Rule {
  name: string;
  kept: string[];
  tests: string[];
  faults: string[];
  states: string[];
}

const rules: Rule[] = text
  .split(/^### /m)
  .slice(1)
  .map((part) => {
    const listed = (kind: string): string => new RegExp(`^- ${kind}: (.*)$`, "m").exec(part)?.[1] ?? "";
    const inCode = (kind: string): string[] => [...listed(kind).matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");
    return {
      name: /^R\d+/.exec(part)?.[0] ?? part.slice(0, 20),
      kept: inCode("kept by"),
      tests: inCode("tests"),
      faults: inCode("faults"),
      states: inCode("rare states"),
    };
  });

describe("the specification", () => {
  it("has the rules R1 to R29, each once, but for one that is gone", () => {
    const all = Array.from({ length: 29 }, (_, i) => `R${i + 1}`);
    expect(rules.map(({ name }) => name)).toEqual(all.filter((name) => name !== "R16"));
  });

  it.each(rules)("$name names files that keep it, and tests that say that they hold it", ({ name, kept, tests }) => {
    expect(kept.length).toBeGreaterThan(0);
    expect(tests.length).toBeGreaterThan(0);
    expect([...kept, ...tests].filter((path) => !existsSync(path))).toEqual([]);
    const isNamed = new RegExp(`^\\s*//.*\\b${name}\\b`, "m");
    expect(tests.filter((path) => !isNamed.test(readFileSync(path, "utf8")))).toEqual([]);
  });

  it("names planted faults and rare states that there are, and every one of them", () => {
    const faults = rules.flatMap((rule) => rule.faults);
    expect([...new Set(faults)].sort()).toEqual(plantedFaults.map(({ name }) => name).sort());
    const states = rules.flatMap((rule) => rule.states);
    expect([...new Set(states)].sort()).toEqual([...rareStates].sort());
  });
});
