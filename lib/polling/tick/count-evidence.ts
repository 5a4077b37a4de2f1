import type { CountEvidence, SurveyRow } from "../model/account.ts";

/** Moves without any new response after which a count is taken to count something else, and hits of another one. */
const ENOUGH = 20;

const none: CountEvidence = { hits: 0, idle: 0, misses: 0 };

/** Adds what one poll has shown of each count of the survey list. */
export function learnCounts(
  evidence: CountEvidence[] | undefined,
  counts: SurveyRow["counts"],
  row: SurveyRow | undefined,
  found: number,
): CountEvidence[] | undefined {
  if (row === undefined) return evidence;
  const next = counts.map((count, i) => {
    const before = evidence?.[i] ?? none;
    const moved = count !== row.counts[i];
    if (!moved && found === 0) return before;
    if (!moved) return { ...before, misses: before.misses + 1 };
    if (found === 0) return { ...before, idle: before.idle + 1 };
    return { ...before, hits: before.hits + 1 };
  });
  // A count that was relied upon and fails is no better than the others: all is learned anew.
  const relied = reliable(evidence);
  const failed = relied.length > 0 && relied.every((i) => (next[i]?.misses ?? 0) > (evidence?.[i]?.misses ?? 0));
  return failed ? counts.map(() => none) : next;
}

/** Counts that have never missed and moved often enough: if there are any, the others need not be looked at. */
export function reliable(evidence: CountEvidence[] | undefined): number[] {
  if (evidence === undefined || !evidence.some(isNoise)) return [];
  return evidence.flatMap((one, i) => (one.misses === 0 && one.hits >= ENOUGH && !isNoise(one) ? [i] : []));
}

function isNoise({ idle, hits }: CountEvidence): boolean {
  return idle >= ENOUGH && idle > hits;
}
