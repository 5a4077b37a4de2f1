/**
 * Holds the matcher of the local event bus against AWS's own event-ruler: thousands of generated pairs, and golden
 * events of our schema whose verdicts are known. Needs Maven and Java 17.
 *
 * Usage: node test/event-rules/run.ts [seed] [count]
 */
import { createMatcher, InvalidEventPatternError } from "../../local/aws/event-bridge/matcher.ts";
import { generateCases } from "./generate.ts";
import { goldenCases } from "./golden.ts";
import { askEventRuler, type RuleCase, type Verdict } from "./oracle.ts";

const [seed = 20261121, count = 8000] = process.argv.slice(2).map(Number);

function verdictOfOurs({ pattern, event }: RuleCase): Verdict {
  try {
    return createMatcher(pattern)(event) ? "true" : "false";
  } catch (error) {
    if (error instanceof InvalidEventPatternError) return "invalid";
    throw error;
  }
}

const generated = generateCases(count, seed);
const cases: readonly (RuleCase & { expected?: Verdict })[] = [...goldenCases, ...generated];
const rulers = askEventRuler(cases);
const tally: Record<Verdict, number> = { true: 0, false: 0, invalid: 0 };
let failed = 0;

for (const [index, ruleCase] of cases.entries()) {
  const theirs = rulers[index] ?? "invalid";
  const ours = verdictOfOurs(ruleCase);
  tally[theirs] += 1;
  const expected = ruleCase.expected ?? theirs;
  if (ours === theirs && ours === expected) continue;
  failed += 1;
  if (failed > 20) continue;
  const { pattern, event } = ruleCase;
  console.log(`ours ${ours}, event-ruler ${theirs}, expected ${expected}: ${JSON.stringify({ pattern, event })}`);
}

const share = (verdict: Verdict) => `${((100 * tally[verdict]) / cases.length).toFixed(0)} % ${verdict}`;
console.log(`${goldenCases.length} golden and ${generated.length} generated cases (seed ${seed})`);
console.log(`event-ruler's verdicts: ${share("true")}, ${share("false")}, ${share("invalid")}`);
// A run in which hardly anything matches, or hardly anything does not, would prove little.
if (Math.min(tally.true, tally.false) < cases.length / 5) {
  console.log("too few cases of one kind");
  failed += 1;
}
console.log(`${cases.length - Math.min(failed, cases.length)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
