import type { SourceConfig } from "../../../lib/config/index.ts";
import { isUnreachable, sayWhyOpen } from "../../../lib/polling/model/books.ts";
import { placeOf } from "../../../lib/polling/model/phase.ts";
import type { Io } from "../../io.ts";
import type { ProgressLine } from "../../progress.ts";
import { readSource, type SurveyState } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import { isPolling, letItPoll } from "../../wait.ts";
import { pagesOf } from "../audit/cost.ts";

export interface WatchOf {
  target: Target;
  source: SourceConfig;
  survey: SurveyState;
  io: Io;
  progress: ProgressLine;
}

/** How a backfill has ended, or why it is not waited for. */
export interface Watched {
  outcome: "done" | "partial" | "under way" | "none";
  page: number | null;
  why: string | null;
}

/** Ticks after which one that comes no further is not waited for, and milliseconds beyond two intervals for a tick. */
const MOST_IDLE = 30;
const PATIENCE = 300_000;

/** Waits for the end of the backfill of a survey. */
export async function watchBackfill({ target, source, survey, io, progress }: WatchOf): Promise<Watched> {
  const { surveyId } = survey;
  let isPartial: boolean | undefined;
  let idle = { page: 0, ticks: 0, lastTick: 0, since: io.now() };
  for (;;) {
    const { account, surveys } = await readSource(target, source.name);
    const now = surveys.find((one) => one.surveyId === surveyId) ?? survey;
    const place = placeOf(now.mark);
    if (place?.backfill === undefined) return endOf(now, isPartial);
    isPartial = place.isPartial === true;
    const { page } = place;
    const left = (why: string): Watched => ({ outcome: "under way", page, why });
    if (account.pausedUntil !== undefined) return left("the source is paused");
    const { pages } = pagesOf(now);
    progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)}`, (page - 1) / pages);

    const { lastTick = 0 } = account;
    if (page !== idle.page) idle = { page, ticks: 0, lastTick, since: io.now() };
    else if (lastTick !== idle.lastTick) idle = { ...idle, ticks: idle.ticks + 1, lastTick };
    if (idle.ticks >= MOST_IDLE) return left("it comes no further");
    const isSilent = isPolling(target) && io.now() > Math.max(lastTick, idle.since) + 2 * source.interval + PATIENCE;
    if (isSilent) return left("no tick comes to its end");
    await letItPoll(target, source.name, io);
  }
}

/** Undefined: none was under way. */
function endOf({ mark }: SurveyState, isPartial: boolean | undefined): Watched {
  if (isPartial === undefined) return { outcome: "none", page: null, why: null };
  const { booksOpen } = mark;
  if (!isPartial && !isUnreachable(booksOpen)) return { outcome: "done", page: null, why: null };
  const why = sayWhyOpen(booksOpen !== undefined && isUnreachable(booksOpen) ? booksOpen : { code: "pages-moved" });
  return { outcome: "partial", page: null, why };
}
