import { describe, expect, it } from "vitest";
import { runHistory } from "../history.ts";
import { countRareStates, ENOUGH_HISTORIES, type RareState, rareStates } from "./registry.ts";

describe("rare states", () => {
  it("each have a name of their own", () => {
    expect(new Set(rareStates).size).toBe(rareStates.length);
  });

  it("are held against a run only if it had enough histories", () => {
    const states = countRareStates();
    const all = rareStates.slice(1);
    for (let i = 1; i < ENOUGH_HISTORIES; i += 1) states.add(i === 1 ? all : []);
    expect(states.missed()).toEqual([]);
    expect(states.never()).toEqual([rareStates[0]]);
    states.add([]);
    expect(states.missed()).toEqual([rareStates[0]]);
  });

  it("are counted by histories, however often one meets them", async () => {
    const { sometimes } = await runHistory(7);
    expect(sometimes.length).toBeGreaterThan(2);
    expect(new Set(sometimes).size).toBe(sometimes.length);
    const states = countRareStates();
    states.add(sometimes);
    states.add(sometimes);
    expect(states.count(sometimes[0] as RareState)).toBe(2);
  });
});
