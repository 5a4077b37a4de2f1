import { holdLease, type PollContext } from "./context.ts";
import { tailOrder } from "./news-end.ts";
import { toPage } from "./pages.ts";
import type { ScanEnd } from "./scan.ts";
import type { SurveyStep } from "./survey-scan.ts";

/** The page, counted from the oldest, from which a backlog is to be streamed: reads on from the head, keeping nothing, until news have ended for good. */
export async function backlogStart(
  ctx: PollContext,
  steps: AsyncGenerator<SurveyStep, ScanEnd>,
  maySettle: (step: SurveyStep) => boolean,
): Promise<number> {
  let quiet = 0;
  let settled = false;
  for (;;) {
    const next = await steps.next();
    if (next.done) return 1;
    // Out of time: from the very first page nothing can be missed.
    if (ctx.ports.clock.now() > ctx.deadline) return 1;
    quiet = next.value.news ? 0 : quiet + 1;
    settled ||= maySettle(next.value);
    if (quiet < ctx.source.headPages || !settled) continue;
    const last = await lastPage(ctx, next.value.page);
    return last === undefined ? 1 : Math.max(1, last - next.value.page + 1);
  }
}

/** Doublings after which a service is taken to answer any page number. */
const MOST_DOUBLINGS = 32;

/** Number of the last page that holds records, or of the one before, found in about 2 log2 requests; `known` is one that does. */
async function lastPage(ctx: PollContext, known: number): Promise<number | undefined> {
  const digestAt = async (page: number): Promise<string | undefined> => {
    await holdLease(ctx);
    return toPage(page, await ctx.ports.service.page(ctx.surveyId, page, tailOrder(ctx.mark)))?.digest;
  };
  let low = known;
  let high = known * 2;
  let beyond: string | undefined;
  let before: string | undefined;
  for (let doublings = 0; ; doublings += 1) {
    if (doublings > MOST_DOUBLINGS) return undefined;
    const digest = await digestAt(high);
    if (digest === undefined) break;
    // Two pages far apart with the same records: past its end the service repeats its last page.
    if (digest === before) {
      beyond = digest;
      high /= 2;
      low = Math.min(low, high / 2);
      break;
    }
    before = digest;
    [low, high] = [high, high * 2];
  }
  low = Math.max(known, Math.floor(low));
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
