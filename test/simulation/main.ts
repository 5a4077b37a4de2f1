import { isCut, parseOptions, replayCommand, USAGE } from "./cli/options.ts";
import { runPool } from "./cli/pool.ts";
import { createTally, shrink } from "./cli/report.ts";
import { ENDLESS, type Outcome, runHistory } from "./history.ts";

/** Failures that are counted before the rest is left. */
const MOST_FAILURES = 40;
const PROGRESS_EVERY = 10_000;

try {
  const options = parseOptions(process.argv.slice(2));
  process.exitCode = options.trace && options.seeds === 1 ? await traceOne() : await runMany();

  async function traceOne(): Promise<number> {
    // As it happens: of a history without an end the last lines are what is looked for.
    const outcome = await runHistory(options.seed, { cuts: options.cuts, trace: (line) => console.log(line) });
    for (const line of told(outcome)) console.log(line);
    return close(outcome.violations.length > 0 ? 0 : 1, outcome.violations.length > 0 ? 1 : 0);
  }

  async function runMany(): Promise<number> {
    const { seed, seeds, cuts } = options;
    const tally = createTally();
    const began = performance.now();
    let toldAt = began;
    let done = 0;
    await runPool({
      seed,
      seeds,
      cuts,
      take(outcome) {
        tally.add(outcome);
        done += 1;
        if (performance.now() > toldAt + PROGRESS_EVERY) {
          toldAt = performance.now();
          console.log(`${done} of ${seeds} histories, ${tally.failed().length} failed`);
        }
        return tally.failed().length < MOST_FAILURES;
      },
    });
    for (const line of tally.lines((performance.now() - began) / 1000)) console.log(line);
    const failed = tally.failed();
    if (failed.length > 0) await report(failed);
    // Where something is left out it need not be met.
    const missed = isCut(cuts) ? [] : tally.missed();
    if (missed.length > 0)
      console.log(`FAIL: rare states that no history met, each counts as one: ${missed.join(", ")}`);
    return close(tally.passed(), failed.length + missed.length);
  }

  async function report(failed: Outcome[]): Promise<void> {
    const rules = new Map<string, number[]>();
    for (const { seed, violations } of failed) {
      const rule = violations[0]?.rule ?? "";
      rules.set(rule, [...(rules.get(rule) ?? []), seed]);
    }
    for (const [rule, seeds] of rules) console.log(`${rule}: ${seeds.length} (seeds ${seeds.slice(0, 8).join(", ")})`);
    const [first] = failed;
    if (first === undefined) return;
    if (!options.shrink || rules.has(ENDLESS)) return console.log(replayCommand(first.seed, options.cuts));
    const { cuts, outcome, runs } = await shrink(first, options.cuts);
    console.log(`seed ${first.seed}, shrunk in ${runs} runs:`);
    for (const line of told(outcome)) console.log(line);
    console.log(replayCommand(first.seed, cuts));
  }

  function told({ violations, met, sometimes, records, surveyIds, ticks }: Outcome): string[] {
    return [
      `${records} records, ${surveyIds.length} surveys, ${ticks} ticks; ${met.join(", ")}`,
      `rare states: ${sometimes.join(", ")}`,
      ...violations.map(({ rule, told: text }) => `${rule}: ${text}`),
    ];
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  console.error(USAGE);
  process.exitCode = 1;
}

/** The last line of every suite; gives the exit code. */
function close(passed: number, failed: number): number {
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
