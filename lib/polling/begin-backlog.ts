import { endsWork } from "./errors.ts";
import { readBacklog } from "./full-read.ts";
import { newFullRead } from "./model/books.ts";
import type { PollCounts } from "./model/poll-counts.ts";
import { hasNews } from "./process-page.ts";
import type { Survey } from "./survey.ts";
import { type Page, toPage } from "./walk/page.ts";

/** Pages before the oldest news at which a backlog begins: deletions meanwhile have moved it. */
const MARGIN = 2;

/** A page number that no list reaches. */
const BEYOND = 1_000_000;

/** News too deep for a head scan are a backlog: a full read brings them out, the oldest first. */
export async function leaveToBacklog(survey: Survey, startedAt: number): Promise<PollCounts> {
  const page = await backlogStart(survey);
  return readBacklog(survey, newFullRead(startedAt, { page, begun: page }));
}

/** The page, counted from the oldest, at which a backlog is to be read. It is found in about 2 log2 requests. From the very first page nothing can be missed. */
async function backlogStart(survey: Survey): Promise<number> {
  /** Undefined where there is no such page, or it fails. Then the backlog begins further up, and nothing is missed. */
  const pageAt = async (number: number): Promise<Page | undefined> => {
    try {
      return toPage(number, await survey.page(number, "asc"));
    } catch (error) {
      if (endsWork(error)) throw error;
      return undefined;
    }
  };
  const first = await pageAt(1);
  if (first === undefined || (await hasNews(survey, first))) return 1;
  const last = await lastOf(1, async (number) => {
    const page = await pageAt(number);
    // Some services show page 1 again behind their last one.
    return page !== undefined && page.signature !== first.signature && !(await hasNews(survey, page));
  });
  return last === undefined ? 1 : Math.max(1, last + 1 - MARGIN);
}

/** The last number for which something holds, from a known one on, by doubling and halving; undefined where it holds for any. */
export async function lastOf(known: number, holds: (number: number) => Promise<boolean>): Promise<number | undefined> {
  let low = known;
  let high = known * 2;
  for (; await holds(high); high *= 2) {
    if (high > BEYOND) return undefined;
    low = high;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
