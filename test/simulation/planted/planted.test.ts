import { expect, it } from "vitest";
import { plantedFaults } from "./faults.ts";
import { marked, misfit } from "./plant.ts";

// A fault that fits nothing any more would never be missed: only `npm run simulate:faults` plants all of them.
it.each(plantedFaults)("the fault fits the code: $name", (fault) => {
  expect(misfit(fault)).toBeUndefined();
});

it("each marker in the code has one fault", () => {
  expect(plantedFaults.map(({ name }) => name).sort()).toEqual([...marked.keys()].sort());
});

it("a fault is no fit whose marker is missing or whose line it leaves as it is, or makes no code of", () => {
  const [{ name, breaks }] = plantedFaults as [(typeof plantedFaults)[number]];
  expect(misfit({ name: "nowhere", breaks, line: "" })).toBe('"// fault: nowhere" stands 0 times in lib');
  expect(misfit({ name, breaks, line: (code) => code })).toBe("it changes nothing");
  expect(misfit({ name, breaks, line: "if (" })).toContain("what it makes is no code");
});
