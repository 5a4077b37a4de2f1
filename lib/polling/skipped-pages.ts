import { endsWork } from "./errors.ts";
import { newFullRead } from "./model/books.ts";
import type { FailingPage, SurveyState } from "./model/survey-state.ts";
import type { Order } from "./ports.ts";
import type { Survey } from "./survey.ts";
import type { ReadEnd } from "./walk/read-pages.ts";

// A page that fails each time does not hide the pages behind it: after some polls it is skipped (R9).

/** Polls in a row that have failed at the same page, or beside it, before that is skipped. */
const POLLS = 3;
/** Milliseconds between two tries of a page that is skipped: half of the time for which it has failed by then, within these. */
const SHORTEST_PAUSE = 300_000;
const LONGEST_PAUSE = 3_600_000;

/** Whether reads skip a failing page by now. Page 1 is never skipped. */
const isSkipped = ({ polls, page }: FailingPage): boolean => polls >= POLLS && page > 1;

const ORDERS = ["asc", "desc"] as const;

export function skippedPages({ failing }: SurveyState, order: Order): Set<number> {
  return new Set((failing?.[order] ?? []).flatMap((page) => (isSkipped(page) ? [page.page] : [])));
}

/** Notes how a read has ended that began at page `from`. A failure is told at the end of the poll: whole responses go out first. */
export function noteEnd(
  survey: Survey,
  order: Order,
  { end, skipped, from }: { end: ReadEnd; skipped: readonly number[]; from: number },
): void {
  const known = survey.state.failing?.[order] ?? [];
  if (end.kind === "failed") survey.leave(end.error);
  const hasPassed = (one: FailingPage): boolean =>
    from <= one.page &&
    !skipped.includes(one.page) &&
    (end.last >= one.page || (end.kind === "end" && !isSkipped(one)));
  const pages = end.kind === "failed" ? afterFailure(survey, known, end.page) : known.filter((one) => !hasPassed(one));
  survey.note({ kind: "pages failing", order, pages });
  if (skipped.length > 0) survey.ports.observe({ kind: "skipped", surveyId: survey.id });
  if (end.kind === "end" && (end.seen === "twice" || end.seen === "skipped"))
    survey.note({ kind: "end seen", lastPage: end.last });
}

/** The failing pages of an order once a read has failed at one more, or once more. */
function afterFailure({ leasedAt, source }: Survey, known: readonly FailingPage[], page: number): FailingPage[] {
  const isNear = (one: FailingPage): boolean => Math.abs(one.page - page) <= 1;
  const same = known.find((one) => isNear(one) && !isSkipped(one));
  // Of several reads in one interval only the first counts.
  if (same !== undefined && leasedAt - same.pollAt < source.interval / 2) return [...known];
  const one = { page, polls: (same?.polls ?? 0) + 1, since: same?.since ?? leasedAt, pollAt: leasedAt };
  // Where the page beside one that is skipped fails as well, neither is.
  return [...known.filter((other) => !isNear(other)), one];
}

/** The pages that are skipped, and when each is tried again (epoch milliseconds). While a backlog is under way none is. */
function tries({ failing, phase }: SurveyState): { page: FailingPage; order: Order; at: number }[] {
  if (phase.kind !== "head") return [];
  return ORDERS.flatMap((order) =>
    (failing?.[order] ?? []).flatMap((page) => {
      const pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, (page.pollAt - page.since) / 2));
      return isSkipped(page) ? [{ page, order, at: page.pollAt + pause }] : [];
    }),
  );
}

export function nextTry(state: SurveyState): number | undefined {
  const [next] = tries(state).toSorted((a, b) => a.at - b.at);
  return next?.at;
}

/**
 * Tries the pages again that are skipped, each by one request. Once one answers all pages are read: that is a backlog, and waits for no budget.
 *
 * Example: page 3 fails from 10:00 on, and is skipped at 10:03. It is tried at 10:07, 10:12 and 10:18. By 10:27 it answers, and what it holds goes out.
 */
export async function tryAgain(survey: Survey): Promise<void> {
  const { ports, leasedAt } = survey;
  for (const { page: tried, order, at } of tries(survey.state)) {
    if (at > ports.clock.now()) continue;
    const answers = await survey.page(tried.page, order).then(
      () => true,
      (error: unknown) => {
        if (endsWork(error)) throw error;
        return false;
      },
    );
    // Only a read that has passed it shows that it is well. Should it fail again, it goes on where it was.
    const now = { ...tried, pollAt: leasedAt, ...(answers ? { polls: 0 } : {}) };
    const pages = (survey.state.failing?.[order] ?? []).map((one) => (one.page === tried.page ? now : one));
    survey.note({ kind: "pages failing", order, pages });
    if (answers) survey.note({ kind: "reading", purpose: "backlog", read: newFullRead(ports.clock.now()) });
  }
}
