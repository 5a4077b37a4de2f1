import type { Run } from "../model/records.ts";

/** Records of a page that are kept to know it again: of several responses, should some be deleted or edited meanwhile. */
const SAMPLE = 8;

/** Digests of some records of a page, by which it is known again. */
export function sampleOf(runs: Run[]): string[] {
  const all = runs.flatMap(({ records }) => records);
  const distance = Math.ceil(all.length / SAMPLE);
  // Of the others nobody may ask for a digest.
  return all.filter((_, i) => i % distance === 0).map(({ digest }) => digest);
}

/** Whether any of these records is one of the sample: what stood behind that page is not before this one. */
export function showsAgain(runs: Run[], sample: string[]): boolean {
  return runs.some(({ records }) => records.some(({ digest }) => sample.includes(digest)));
}
