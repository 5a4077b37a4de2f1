import { errorCode } from "../errors.ts";
import { holdLease, type PollContext } from "./context.ts";
import { tailOrder } from "./news-end.ts";
import { toPage } from "./pages.ts";
import type { Run } from "./records.ts";
import type { StreamPosition } from "./state-types.ts";

// A list that moved between two slices of a stream by more than the page that it goes back would hide records from it.

/** Records of a page that are kept to know it again: several responses, should some be deleted or edited meanwhile. */
const SAMPLE = 8;
/** Pages to look for it on either side. */
const FURTHEST = 8;

/** Digests of some records of a page, by which it is known again. */
export function sampleOf(runs: Run[]): string[] {
  const digests = runs.flatMap(({ records }) => records.map(({ digest }) => digest));
  const distance = Math.ceil(digests.length / SAMPLE);
  return digests.filter((_, i) => i % distance === 0);
}

/** Whether any of these records is one of the sample: what stood behind that page is not before this one. */
export function showsAgain(runs: Run[], sample: string[]): boolean {
  return runs.some(({ records }) => records.some(({ digest }) => sample.includes(digest)));
}

/**
 * The page to go on from, where neither the page of a position nor the one before it shows any of what stood there: its place is looked
 * for on both sides, and where it is not found, the stream goes back as far as was looked.
 */
export async function placeAgain(ctx: PollContext, { page, sample = [] }: StreamPosition): Promise<number> {
  for (let distance = 1; distance <= FURTHEST; distance += 1) {
    for (const number of [page + distance, page - 1 - distance]) {
      if (number >= 1 && showsAgain(await runsOf(ctx, number), sample)) return Math.max(1, Math.min(number, page - 1));
    }
  }
  return Math.max(1, page - 1 - FURTHEST);
}

async function runsOf(ctx: PollContext, number: number): Promise<Run[]> {
  await holdLease(ctx);
  try {
    return toPage(number, await ctx.ports.service.page(ctx.surveyId, number, tailOrder(ctx.mark)))?.runs ?? [];
  } catch (error) {
    // Behind its end some services fail.
    if (errorCode(error) === "SERVER_ERROR") return [];
    throw error;
  }
}
