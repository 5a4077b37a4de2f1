import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { mayBePastEnd } from "../walk/failing-end.ts";
import { type Page, toPage } from "../walk/pages.ts";
import type { ScanEnd } from "../walk/scan.ts";
import { tailOrder } from "./news-end.ts";
import type { SurveyStep } from "./survey-scan.ts";

/**
 * The page, counted from the oldest, from which a backlog is to be streamed: reads on from the head, keeping nothing, until news have ended
 * for good. `newsOn` is the last page with news so far.
 */
export async function backlogStart(
  ctx: PollContext,
  steps: AsyncGenerator<SurveyStep, ScanEnd>,
  maySettle: (step: SurveyStep) => boolean,
  newsOn: number,
): Promise<number> {
  let oldest = newsOn;
  let quiet = 0;
  let settled = false;
  for (;;) {
    const next = await steps.next();
    if (next.done) return 1;
    // Out of time: from the very first page nothing can be missed.
    if (ctx.ports.clock.now() > ctx.deadline) return 1;
    const { page, news } = next.value;
    quiet = news ? 0 : quiet + 1;
    if (news) oldest = page;
    settled ||= maySettle(next.value);
    if (quiet < ctx.source.headPages || !settled) continue;
    const last = await lastPage(ctx, page, oldest);
    // Half as far before the oldest news as was looked: what has come since its page was read has made the list longer.
    return last === undefined ? 1 : Math.max(1, last - oldest + 1 - Math.ceil(quiet / 2));
  }
}

async function read(ctx: PollContext, page: number): Promise<Page | undefined> {
  await holdLease(ctx);
  return toPage(page, await ctx.ports.service.page(ctx.surveyId, page, tailOrder(ctx.mark)), ctx.volatile);
}

/** Doublings after which a service is taken to answer any page number. */
const MOST_DOUBLINGS = 32;

/**
 * Number of the last page that holds records, or of the one before, found in a few requests where it is as far behind the `grown` pages of
 * news as when the end was met last, and in about 2 log2 elsewhere; `known` is one that does.
 */
async function lastPage(ctx: PollContext, known: number, grown: number): Promise<number | undefined> {
  const digestAt = async (page: number): Promise<string | undefined> => {
    try {
      return (await read(ctx, page))?.digest;
    } catch (error) {
      // Behind its end some services fail. Should this page be one of the list, the backlog begins further up: nothing is missed.
      if (mayBePastEnd(error)) return undefined;
      throw error;
    }
  };
  const expected = (ctx.mark.pages ?? 0) + grown;
  const isExpected = ctx.mark.pages !== undefined && expected > known;
  /** Pages that hold records, as far as is known, in their order. */
  const there = [known];
  let high = isExpected ? expected : known * 2;
  let beyond: string | undefined;
  let before: string | undefined;
  for (let tries = 0; ; tries += 1) {
    if (tries > MOST_DOUBLINGS) return undefined;
    const digest = await digestAt(high);
    if (digest === undefined) break;
    // Two pages with the same records: past its end the service repeats its last page.
    if (digest === before) {
      beyond = digest;
      high = there.pop() ?? high;
      break;
    }
    before = digest;
    there.push(high);
    high += isExpected ? 2 ** tries : high;
  }
  let low = there.at(-1) ?? known;
  // The list was to be longer: its end is near all the same.
  for (let back = 1; isExpected && low === known && high - back > known; back *= 2) {
    const digest = await digestAt(high - back);
    if (digest !== undefined && digest !== beyond) low = high - back;
    else high -= back;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const digest = await digestAt(middle);
    if (digest === undefined || digest === beyond) high = middle;
    else low = middle;
  }
  // A list that moves meanwhile can make an echo seem a page: then its own neighbour is the same.
  if (beyond !== undefined && low > 1 && (await digestAt(low)) === (await digestAt(low - 1))) return undefined;
  return low;
}
