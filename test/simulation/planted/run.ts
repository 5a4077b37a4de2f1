import { runPool } from "../cli/pool.ts";
import { type Outcome, runHistory } from "../history.ts";
import { noCuts } from "../plan/chooser.ts";
import { plantedFaults } from "./faults.ts";
import { misfit, type PlantedFault, plant } from "./plant.ts";

// npm run simulate:faults -- [PART OF A NAME]: plants each fault in a copy of the code and runs histories until one
// breaks a promise that it keeps without the fault.

const MOST_SEEDS = 3_000;

interface Catch {
  seeds: number;
  outcome: Outcome;
}

async function findCatch(fault: PlantedFault): Promise<Catch | undefined> {
  const { simulation, remove } = plant(fault);
  const leave = (): never => {
    remove();
    process.exit(130);
  };
  process.once("SIGTERM", leave).once("SIGINT", leave);
  const failing: Outcome[] = [];
  let caught: Catch | undefined;
  try {
    let seed = 1;
    while (caught === undefined && seed <= MOST_SEEDS) {
      let done = 0;
      await runPool({
        root: simulation,
        seed,
        seeds: MOST_SEEDS - seed + 1,
        cuts: noCuts,
        take(outcome) {
          done += 1;
          if (outcome.violations.some(({ rule }) => fault.breaks.includes(rule))) failing.push(outcome);
          return failing.length === 0;
        },
      });
      seed += done;
      for (const outcome of failing.splice(0).sort((a, b) => a.seed - b.seed)) {
        const healthy = await runHistory(outcome.seed);
        if (caught === undefined && healthy.violations.length === 0) caught = { seeds: outcome.seed, outcome };
      }
    }
  } finally {
    remove();
    process.off("SIGTERM", leave).off("SIGINT", leave);
  }
  return caught;
}

const wanted = process.argv[2] ?? "";
const faults = plantedFaults.filter(({ name }) => name.includes(wanted));
let missed = 0;
for (const fault of faults) {
  const problem = misfit(fault);
  const caught = problem === undefined ? await findCatch(fault) : undefined;
  if (caught === undefined) missed += 1;
  const by =
    caught === undefined
      ? "NOT CAUGHT"
      : `${String(caught.seeds).padStart(5)}  ${caught.outcome.violations.find(({ rule }) => fault.breaks.includes(rule))?.rule}`;
  console.log(`${fault.name.padEnd(58)} ${problem ?? by}`);
}
console.log(`${faults.length - missed} passed, ${missed} failed`);
process.exitCode = missed > 0 ? 1 : 0;
