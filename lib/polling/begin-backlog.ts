import { endsWork } from "./errors.ts";
import { readBacklog } from "./full-read.ts";
import { newFullRead } from "./model/books.ts";
import type { PollCounts } from "./model/poll-counts.ts";
import type { Order } from "./ports.ts";
import { hasNews } from "./process-page.ts";
import type { Survey } from "./survey.ts";
import { type Page, toPage } from "./walk/page.ts";

/** Pages before the oldest news at which a backlog begins: arrivals and deletions meanwhile have moved it. */
const MARGIN = 2;

/** A page number that no list reaches. */
const BEYOND = 1_000_000;

/** News too deep for a head scan are a backlog: a full read brings them out, the oldest first. `news`: a page of the head down to which there are some. */
export async function leaveToBacklog(survey: Survey, news: number, startedAt: number): Promise<PollCounts> {
  const page = await backlogStart(survey, news);
  return readBacklog(survey, newFullRead(startedAt, { page, begun: page }));
}

/** The page, counted from the oldest, at which a backlog is to be read. It is found in about 4 log2 requests. From the very first page nothing can be missed. */
async function backlogStart(survey: Survey, news: number): Promise<number> {
  const { service } = survey.ports;
  const pageAt = async (number: number, order: Order): Promise<Page | undefined> =>
    toPage(number, await survey.page(number, order));
  /** Some services show a page again behind their last one. */
  const beyond = (await orNothing(async () => toPage(BEYOND, await service.page(survey.id, BEYOND, "asc"))))?.signature;
  const isThere = async (number: number): Promise<boolean> => {
    const page = await orNothing(() => pageAt(number, "asc"));
    return page !== undefined && page.signature !== beyond;
  };
  const isOfBacklog = async (number: number): Promise<boolean> => {
    try {
      const page = await pageAt(number, "desc");
      return page !== undefined && (await hasNews(survey, page));
    } catch (error) {
      if (endsWork(error)) throw error;
      // Nobody knows what stands there: the backlog goes on.
      return true;
    }
  };
  // The length comes first: what arrives meanwhile moves the beginning up, where nothing is missed.
  const last = await lastOf(news, isThere);
  const oldest = last === undefined ? undefined : await lastOf(news, isOfBacklog);
  return oldest === undefined || last === undefined ? 1 : Math.max(1, last - oldest + 1 - MARGIN);
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

/** Undefined where there is no such page, or it fails. Should it be one of the list, the backlog begins further up, and nothing is missed. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (endsWork(error)) throw error;
    return undefined;
  }
}
