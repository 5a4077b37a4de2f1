import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { runPool } from "../cli/pool.ts";
import { randomStream } from "../engine/random.ts";
import { type Outcome, runHistory } from "../history.ts";
import { noCuts } from "../plan/chooser.ts";
import { plantedFaults } from "./faults.ts";
import { misfit, type PlantedFault, plant } from "./plant.ts";

// npm run simulate:faults -- [PART OF A NAME]: plants each fault in a copy of the code and runs histories until one
// breaks a promise that it keeps without the fault.
// npm run simulate:faults -- --sample N [--seed SEED]: plants N of those that are caught soon. The commit draws them.

const MOST_SEEDS = 3_000;

async function findCatch(fault: PlantedFault, mostSeeds: number): Promise<Outcome | undefined> {
  const { simulation, remove } = plant(fault);
  const leave = (): never => {
    remove();
    process.exit(130);
  };
  process.once("SIGTERM", leave).once("SIGINT", leave);
  const failing: Outcome[] = [];
  let caught: Outcome | undefined;
  try {
    let seed = 1;
    while (caught === undefined && seed <= mostSeeds) {
      let done = 0;
      await runPool({
        root: simulation,
        seed,
        seeds: mostSeeds - seed + 1,
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
        if (caught === undefined && healthy.violations.length === 0) caught = outcome;
      }
    }
  } finally {
    remove();
    process.off("SIGTERM", leave).off("SIGINT", leave);
  }
  return caught;
}

/** Faults that are caught soon, drawn by the seed. */
function sampleOf(count: number, seed: number): PlantedFault[] {
  const left = plantedFaults.filter(({ within }) => within !== undefined);
  const random = randomStream(seed, "planted faults");
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const drawn = random.pick(left);
    left.splice(left.indexOf(drawn), 1);
    return drawn;
  });
}

/** Differs from commit to commit, so that in time every fault has its turn. */
function seedOfCommit(): number {
  const { stdout } = spawnSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" });
  const seed = Number.parseInt(stdout ?? "", 16);
  return Number.isNaN(seed) ? 1 : seed;
}

const { values, positionals } = parseArgs({
  options: { sample: { type: "string" }, seed: { type: "string" } },
  allowPositionals: true,
});
const seed = values.seed === undefined ? seedOfCommit() : Number(values.seed);
const faults =
  values.sample === undefined
    ? plantedFaults.filter(({ name }) => name.includes(positionals[0] ?? ""))
    : sampleOf(Number(values.sample), seed);
if (values.sample !== undefined) console.log(`--sample ${values.sample} --seed ${seed}`);

let missed = 0;
for (const fault of faults) {
  const problem = misfit(fault);
  const mostSeeds = values.sample === undefined ? MOST_SEEDS : (fault.within ?? MOST_SEEDS);
  const caught = problem === undefined ? await findCatch(fault, mostSeeds) : undefined;
  if (caught === undefined) missed += 1;
  const rule = caught?.violations.find(({ rule }) => fault.breaks.includes(rule))?.rule;
  const by =
    caught === undefined ? `NOT CAUGHT within ${mostSeeds} seeds` : `${String(caught.seed).padStart(5)}  ${rule}`;
  console.log(`${fault.name.padEnd(32)} ${problem ?? by}`);
}
console.log(`${faults.length - missed} passed, ${missed} failed`);
process.exitCode = missed > 0 ? 1 : 0;
