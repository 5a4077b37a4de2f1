import { describe, expect, it } from "vitest";
import { createTally, ENOUGH_HISTORIES } from "./cli/report.ts";
import { runHistory } from "./history.ts";
import { noCuts, ODD_CORNER } from "./plan/chooser.ts";
import { planHistory } from "./plan/plan.ts";
import { plantedFaults } from "./planted/faults.ts";
import { marked, misfit } from "./planted/plant.ts";
import { oddRecords } from "./service/odd-records.ts";
import { rareStates } from "./sometimes/registry.ts";

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

  it("is of ordinary services three times in four, with every odd record and mishap of a process", () => {
    const plans = Array.from({ length: 1_000 }, (_, i) => planHistory(i + 1, noCuts));
    const ordinary = plans.filter(({ met }) => !met.has(ODD_CORNER));
    expect(ordinary.length / plans.length).toBeCloseTo(0.75, 1);
    const responses = ordinary.flatMap(({ surveys }) => surveys).flatMap((survey) => survey.responses);
    expect(new Set(responses.map(({ odd }) => odd))).toEqual(new Set([undefined, ...oddRecords]));
    const runs = ordinary.flatMap(({ workers }) => workers.runs.flat());
    expect(runs.some(({ diesPublishing }) => diesPublishing)).toBe(true);
    expect(runs.some(({ freezesAfter }) => freezesAfter !== undefined)).toBe(true);
  });

  it("fails by a rare state that none of enough histories has met", async () => {
    const outcome = await runHistory(7);
    const tally = createTally();
    const [never, ...sometimes] = rareStates;
    for (let i = 1; i < ENOUGH_HISTORIES; i += 1) tally.add({ ...outcome, sometimes });
    expect(tally.missed()).toEqual([]);
    tally.add(outcome);
    expect(tally.missed()).toEqual([never].filter((state) => !outcome.sometimes.includes(state)));
  });
});

// A fault that fits nothing any more would never be missed: only `npm run simulate:faults` plants all of them.
it.each(plantedFaults)("the fault fits the code: $name", (fault) => {
  expect(misfit(fault)).toBeUndefined();
});

it("each marker in the code has one fault", () => {
  expect(plantedFaults.map(({ name }) => name).sort()).toEqual([...marked.keys()].sort());
});
