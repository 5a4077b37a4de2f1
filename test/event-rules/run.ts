import { createMatcher, InvalidEventPatternError } from "../../lib/local/aws/event-bridge/matcher.ts";
import { generateCases } from "./generate.ts";
import { goldenCases } from "./golden.ts";
import { askEventRuler, type RuleCase, type Verdict } from "./oracle.ts";

/**
 * Holds the matcher of the local event bus against AWS's own event-ruler: thousands of generated pairs, and golden
 * events of our schema whose verdicts are known. Needs Maven and Java 17.
 */

/** The same cases each time: of a few other seeds event-ruler 2.1.0 contradicts itself, as it tosses a coin on some lists. */
const SEED = 20261121;
const COUNT = 8000;

function verdictOfOurs({ pattern, event }: RuleCase): Verdict {
  try {
    return createMatcher(pattern)(event) ? "true" : "false";
  } catch (error) {
    if (error instanceof InvalidEventPatternError) return "invalid";
    throw error;
  }
}

const cases: readonly (RuleCase & { expected?: Verdict })[] = [...goldenCases, ...generateCases(COUNT, SEED)];
const rulers = askEventRuler(cases);
const tally: Record<Verdict, number> = { true: 0, false: 0, invalid: 0 };
let [passed, failed] = [0, 0];

for (const [index, { expected, ...ruleCase }] of cases.entries()) {
  const theirs = rulers[index] ?? "invalid";
  const ours = verdictOfOurs(ruleCase);
  tally[theirs] += 1;
  if (ours === theirs && ours === (expected ?? ours)) {
    passed += 1;
  } else {
    failed += 1;
    console.log(`ours ${ours}, event-ruler ${theirs}, known ${expected}: ${JSON.stringify(ruleCase)}`);
  }
}

const share = (verdict: Verdict) => `${((100 * tally[verdict]) / cases.length).toFixed(0)} % ${verdict}`;
console.log(`event-ruler's verdicts: ${share("true")}, ${share("false")}, ${share("invalid")}`);
// A run in which hardly anything matches, or hardly anything does not, proves little.
if (Math.min(tally.true, tally.false) < cases.length / 5) {
  console.log("the cases are too one-sided");
  failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
