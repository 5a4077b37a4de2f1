import { createMatcher, InvalidEventPatternError } from "../../lib/local/aws/event-bridge/matcher.ts";
import { generateCases } from "./generate.ts";
import { goldenCases } from "./golden.ts";
import { type AskRuler, createEventRuler, type RuleCase, type Verdict } from "./oracle.ts";

/**
 * Holds the matcher of the local event bus against AWS's own event-ruler: thousands of generated pairs, and golden
 * events of our schema whose verdicts are known. Needs Maven and Java 17.
 *
 * Usage: node test/event-rules/run.ts [seed] [count]
 */

const [seed = 20261121, count = 8000] = process.argv.slice(2).map(Number);
const MOST_FORMS = 500;

function verdictOfOurs({ pattern, event }: RuleCase): Verdict {
  try {
    return createMatcher(pattern)(event) ? "true" : "false";
  } catch (error) {
    if (error instanceof InvalidEventPatternError) return "invalid";
    throw error;
  }
}

/**
 * Whether event-ruler contradicts itself: 2.1.0 tosses a coin on some lists (fresh machines differ on
 * `["ab", {"numeric": ["<=", 10000000002.5]}, "STRASSE"]` for "ab") and errs on some mixtures within `$or`. What it
 * says of the pattern's single alternatives, which is what the pattern means, then decides.
 */
function rulerContradictsItself(askRuler: AskRuler, { pattern, event }: RuleCase, ours: Verdict): boolean {
  if (ours === "invalid" || typeof pattern !== "object" || pattern === null) return false;
  const forms = simpleForms(pattern, MOST_FORMS);
  if (forms === undefined) return false;
  const verdicts = askRuler(forms.map((form) => ({ pattern: form, event })));
  return !verdicts.includes("invalid") && verdicts.includes("true") === (ours === "true");
}

const askRuler = createEventRuler();
const generated = generateCases(count, seed);
const cases: readonly (RuleCase & { expected?: Verdict })[] = [...goldenCases, ...generated];
const rulers = askRuler(cases);
const tally: Record<Verdict, number> = { true: 0, false: 0, invalid: 0 };
let [passed, failed, setAside] = [0, 0, 0];

for (const [index, ruleCase] of cases.entries()) {
  const theirs = rulers[index] ?? "invalid";
  const ours = verdictOfOurs(ruleCase);
  tally[theirs] += 1;
  const { pattern, event, expected } = ruleCase;
  if (ours === theirs && (expected === undefined || ours === expected)) {
    passed += 1;
  } else if (theirs !== "invalid" && expected === undefined && rulerContradictsItself(askRuler, ruleCase, ours)) {
    setAside += 1;
  } else {
    failed += 1;
    console.log(`ours ${ours}, event-ruler ${theirs}, known ${expected}: ${JSON.stringify({ pattern, event })}`);
  }
}

const share = (verdict: Verdict) => `${((100 * tally[verdict]) / cases.length).toFixed(0)} % ${verdict}`;
console.log(`${goldenCases.length} golden and ${generated.length} generated cases (seed ${seed})`);
console.log(`event-ruler's verdicts: ${share("true")}, ${share("false")}, ${share("invalid")}`);
console.log(`${setAside} set aside: event-ruler contradicts what it says of their single alternatives`);
// A run in which hardly anything matches, or hardly anything does not, or the judge is often unsure, proves little.
if (Math.min(tally.true, tally.false) < cases.length / 5 || setAside > cases.length / 500) {
  console.log("the cases are too one-sided, or too many are set aside");
  failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

type Branch = Map<string, unknown[]>;

/**
 * Splits a valid pattern into patterns with one alternative a field and no `$or`. By definition an event matches the
 * pattern when it matches one of them.
 *
 * @returns undefined when there would be more than `most`
 */
function simpleForms(pattern: object, most: number): object[] | undefined {
  const forms: object[] = [];
  for (const branch of branchesOf([new Map()], pattern, "")) {
    let products: Record<string, unknown[]>[] = [{}];
    for (const [path, alternatives] of branch) {
      products = products.flatMap((product) => alternatives.map((one) => ({ ...product, [path]: [one] })));
      if (products.length > most) return undefined;
    }
    forms.push(...products);
  }
  return forms.length > most ? undefined : forms;
}

function branchesOf(branches: Branch[], fields: object, path: string): Branch[] {
  let open = branches;
  for (const [name, value] of Object.entries(fields)) {
    const here = path === "" ? name : `${path}.${name}`;
    if (name === "$or") open = (value as object[]).flatMap((alternative) => branchesOf(open, alternative, path));
    else if (Array.isArray(value)) open = open.map((branch) => new Map(branch).set(here, value));
    else open = branchesOf(open, value as object, here);
  }
  return open;
}
