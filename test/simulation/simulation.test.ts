import { describe, expect, it } from "vitest";
import { runHistory } from "./history.ts";
import { noCuts } from "./plan/chooser.ts";

/** A few seconds of histories; `npm run simulate` runs as many as one likes. */
const SEEDS = 15;

describe("simulation", () => {
  it("loses nothing, and keeps every other promise, whatever happens", async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violations } = await runHistory(seed);
      if (violations[0] !== undefined) broken.push(`seed ${seed}: ${violations[0].rule}: ${violations[0].told}`);
    }
    expect(broken).toEqual([]);
  });

  it("runs the same history for the same seed", async () => {
    const [first, second]: [string[], string[]] = [[], []];
    const once = await runHistory(7, { trace: (line) => first.push(line) });
    const again = await runHistory(7, { trace: (line) => second.push(line) });
    expect(first.length).toBeGreaterThan(500);
    expect(second).toEqual(first);
    expect(again).toEqual(once);
  });

  it("leaves out what is dropped, and the rest as it was", async () => {
    const whole = await runHistory(11);
    const [dropped = ""] = whole.met.filter((name) => name.startsWith("key:"));
    expect(dropped).not.toBe("");
    const cut = await runHistory(11, { cuts: { ...noCuts, drop: new Set([dropped]) } });
    expect(cut.met).not.toContain(dropped);
    expect(cut.records).toBe(whole.records);
    expect(cut.surveyIds).toEqual(whole.surveyIds);
  });
});
