import { type Outcome, runHistory } from "../history.ts";
import type { Cuts } from "../plan/chooser.ts";
import { type RareState, rareStates } from "../sometimes/registry.ts";

/** Histories of a run from which on each rare state must have been met. */
export const ENOUGH_HISTORIES = 1_000;
/** A rare state in fewer histories than this says little. */
const LEAST_SHARE = 0.02;

/** What many histories came to. */
export function createTally() {
  const outcomes: Outcome[] = [];
  const failed = (): Outcome[] =>
    outcomes.filter(({ violations }) => violations.length > 0).sort((a, b) => a.seed - b.seed);
  const histories = (state: RareState): number => outcomes.filter(({ sometimes }) => sometimes.includes(state)).length;
  const never = (): RareState[] => rareStates.filter((state) => histories(state) === 0);
  return {
    add: (outcome: Outcome) => void outcomes.push(outcome),
    /** Rare states that so many histories should have met, and have not. */
    missed: (): RareState[] => (outcomes.length < ENOUGH_HISTORIES ? [] : never()),
    passed: () => outcomes.length - failed().length,
    failed,
    /** Rare states and sizes, as lines of text. */
    lines(seconds: number): string[] {
      const median = (of: (outcome: Outcome) => number): number =>
        outcomes.map(of).sort((a, b) => a - b)[outcomes.length >> 1] ?? 0;
      const sizes = [
        `${median(({ records }) => records)} records`,
        `${median(({ surveyIds }) => surveyIds.length)} surveys`,
        `${median(({ ticks }) => ticks)} ticks`,
        `${median(({ requests }) => requests)} requests`,
        `${median(({ events }) => events)} events`,
      ];
      const seldom = rareStates
        .map((state) => [state, histories(state)] as const)
        .filter(([, count]) => count > 0 && count < LEAST_SHARE * outcomes.length)
        .map(([state, count]) => `${state} (${count})`);
      return [
        `rare states met: ${rareStates.length - never().length} of ${rareStates.length}`,
        ...(seldom.length > 0 ? [`in under 2 % of histories: ${seldom.join(", ")}`] : []),
        ...never().map((state) => `never met: ${state}`),
        `median of a history: ${sizes.join(", ")}`,
        `${outcomes.length} histories, ${(outcomes.length / seconds).toFixed(0)} a second`,
      ];
    },
  };
}

/** Later cuts find less and less. */
const MOST_RUNS = 400;

/** Leaves things out of a failing history for as long as the same promise is broken. Gives what is left of it, and the histories run to find it. */
export async function shrink(failing: Outcome, from: Cuts) {
  const { seed } = failing;
  const rule = failing.violations[0]?.rule;
  let best = { cuts: from, outcome: failing };
  let runs = 0;

  const attempt = async (cuts: Cuts): Promise<boolean> => {
    if (runs >= MOST_RUNS) return false;
    runs += 1;
    const outcome = await runHistory(seed, { cuts });
    if (!outcome.violations.some((violation) => violation.rule === rule)) return false;
    best = { cuts, outcome };
    return true;
  };

  for (let before: Cuts | undefined; before !== best.cuts; ) {
    before = best.cuts;
    for (const name of ["ticks", "responses"] as const) await smaller(name);
    for (const name of best.outcome.surveyIds.map((id) => `survey-${id}`)) await without(name);
    for (const name of best.outcome.met) await without(name);
  }
  return { ...best, runs };

  async function without(name: string): Promise<void> {
    if (best.cuts.drop.has(name)) return;
    await attempt({ ...best.cuts, drop: new Set([...best.cuts.drop, name]) });
  }

  /** Halves a size, then goes down by less and less. */
  async function smaller(name: "ticks" | "responses"): Promise<void> {
    let size = Number.isFinite(best.cuts[name]) ? best.cuts[name] : name === "ticks" ? 64 : 256;
    for (let step = Math.ceil(size / 2); step >= 1; step = Math.floor(step / 2)) {
      while (size > step && (await attempt({ ...best.cuts, [name]: size - step }))) size -= step;
    }
  }
}
