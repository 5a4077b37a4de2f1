import type { Outcome } from "../history.ts";
import { countRareStates, type RareStates, rareStates } from "../sometimes/registry.ts";

/** A rare state in fewer histories than this says little. */
const LEAST_SHARE = 0.02;

/** What many histories came to. */
export function createTally() {
  const outcomes: Outcome[] = [];
  const states = countRareStates();
  const failed = (): Outcome[] =>
    outcomes.filter(({ violations }) => violations.length > 0).sort((a, b) => a.seed - b.seed);
  return {
    add(outcome: Outcome): void {
      outcomes.push(outcome);
      states.add(outcome.sometimes);
    },
    /** Rare states that so many histories should have met, and have not. */
    missed: states.missed,
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
      const speed = `${outcomes.length} histories, ${(outcomes.length / seconds).toFixed(0)} a second`;
      return [...rareStateLines(states, outcomes.length), `median of a history: ${sizes.join(", ")}`, speed];
    },
  };
}

function rareStateLines(states: RareStates, histories: number): string[] {
  const never = states.never();
  const seldom = rareStates
    .filter((state) => !never.includes(state) && states.count(state) < LEAST_SHARE * histories)
    .map((state) => `${state} (${states.count(state)})`);
  return [
    `rare states met: ${rareStates.length - never.length} of ${rareStates.length}`,
    ...(seldom.length > 0 ? [`in under 2 % of histories: ${seldom.join(", ")}`] : []),
    ...never.map((state) => `never met: ${state}`),
  ];
}
