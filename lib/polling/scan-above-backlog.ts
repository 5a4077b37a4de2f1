import type { FullRead } from "./model/books.ts";
import { addCounts, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { classOf } from "./model/records.ts";
import type { Response } from "./model/response.ts";
import { scanSurvey, writeNoted } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Survey } from "./survey.ts";
import type { Page } from "./walk/page.ts";

/** Responses of page 1 remembered as the place where a backlog begins. */
const REMEMBERED = 20;
/** Times `headPages` that one look reads to come to that place: further down it is the backlog's. */
const FURTHEST = 3;

/**
 * News at the head of a survey whose backlog is read: they do not wait for it. The first look only remembers where the backlog begins. One look takes `headPages`
 * pages of news. Where there are more, the next one goes on below them: only a look that has come to that place remembers it anew. The backlog meets all of it again,
 * so nothing is lost. No page is begun after `until` (epoch milliseconds).
 */
export async function scanAbove(survey: Survey, backlog: FullRead, until: number): Promise<PollCounts> {
  const { headPages } = survey.source;
  const counts = noCounts();
  const before = new Set(backlog.head);
  const placeOn = ({ runs }: Page): number => runs.findLastIndex(({ responseId }) => before.has(responseId));
  const hasCome = (page: Page): boolean => before.size === 0 || placeOn(page) >= 0;
  const found: Response[] = [];
  /** Responses above the backlog. */
  const above = new Set<number>();
  let first: number[] = [];
  let lastPage: Page | undefined;
  for await (const step of scanSurvey(survey, {
    from: 1,
    origin: "head",
    isEnough: (page, { withNews }) =>
      hasCome(page) || page.number >= FURTHEST * headPages || withNews.size >= headPages,
    isTimeUp: () => survey.ports.clock.now() > until,
  })) {
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...step.toEmit);
    if (step.page === undefined) continue;
    const { number, runs } = step.page;
    const place = placeOn(step.page);
    for (const { responseId } of place < 0 ? runs : runs.slice(0, place))
      if (!before.has(responseId)) above.add(responseId);
    // An open one moves when it completes.
    const still = runs.filter((run) => classOf(run) !== "open").map(({ responseId }) => responseId);
    if (number === 1) first = still.slice(0, REMEMBERED);
    lastPage = step.page;
  }
  // The first look only remembers.
  if (before.size > 0) {
    const fresh = found.filter(({ responseId }) => above.has(responseId));
    addCounts(counts, await emitFound(survey, fresh));
  }
  // The next look comes to what lies below, and to what stands across the end of the last page.
  if (lastPage !== undefined && hasCome(lastPage) && !counts.unfinished && first.length > 0)
    survey.note({ kind: "reading", purpose: "backlog", read: { ...backlog, head: first } });
  return counts;
}
