import { type Outcome, runHistory } from "../history.ts";
import type { Cuts } from "../plan/chooser.ts";

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
