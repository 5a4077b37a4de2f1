import { describe, expect, it } from "vitest";
import { plantedFaults } from "./faults.ts";
import { misfit } from "./plant.ts";

describe("planted faults", () => {
  it("are many, and each has a name of its own", () => {
    expect(plantedFaults.length).toBeGreaterThanOrEqual(25);
    expect(new Set(plantedFaults.map(({ name }) => name)).size).toBe(plantedFaults.length);
  });

  // A fault that fits nothing any more would never be missed: `npm run simulate:faults` plants them.
  it.each(plantedFaults)("fits the code: $name", (fault) => {
    expect(misfit(fault)).toBeUndefined();
  });
});
