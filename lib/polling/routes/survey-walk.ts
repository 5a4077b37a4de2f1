import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { Order, PageRead } from "../ports.ts";
import { PAGE_SIZE, type Page } from "../walk/page.ts";
import { type WalkEnd, type WalkOptions, type WalkStep, walk } from "../walk/walk.ts";
import { beginDealing, type Dealing, type Dealt, deal, isUndealt, judgePage, type Reading } from "./deal.ts";
import { noteEnd, stepsOver } from "./failing-page.ts";

/** The gain of a walk by one page more, or by its end. */
export interface SurveyStep extends Dealt, Pick<WalkStep, "position" | "covered" | "moved" | "steppedOver"> {
  /** The page read; of the last step: the last page of the walk. */
  page: number;
  /** Set on the last step. A failure is noted by then, and told at the end of the poll. */
  end?: WalkEnd;
}

/** A page that was read, before anything of it is handed out. */
export interface SurveyPage {
  page: Page;
  /** Whether it shows anything that has still to be dealt with. */
  news: boolean;
  /** Whether it shows anything that was dealt with before. */
  isKnown: boolean;
}

export interface SurveyWalkOptions extends Reading, Pick<WalkOptions, "mostAhead" | "isTimeUp"> {
  /** Whether nothing more is read behind this page. Asked for each page before anything of it is handed out. */
  isEnough?: (shown: SurveyPage) => boolean;
  /** Whether it tries a page once more that others step over (R9). */
  triesAgain?: boolean;
}

/** The share of the pages that are estimated by those met so far, up to which no page is read in vain. */
const SURELY = 0.9;

function shown(page: Page, dealing: Dealing): SurveyPage {
  const responses = page.runs.map(({ responseId }) => responseId);
  return {
    page,
    news: responses.some((id) => isUndealt(dealing, id)),
    isKnown: responses.some((id) => !isUndealt(dealing, id)),
  };
}

/** Looks at one page. Nothing of it is handed out. */
export async function lookAt(ctx: PollContext, page: Page, reading: Reading): Promise<SurveyPage> {
  const dealing = beginDealing(reading);
  await judgePage(ctx, page.runs, dealing);
  return shown(page, dealing);
}

/**
 * Walks over a survey's pages and judges each response by the ledger. Responses that need no event are entered into the ledger here: open, history,
 * unreadable. One that needs an event is handed out, once.
 */
export async function* surveyWalk(ctx: PollContext, options: SurveyWalkOptions): AsyncGenerator<SurveyStep, void> {
  const { order, from, ids, triesAgain = false } = options;
  const { service, observe } = ctx.ports;
  const dealing = beginDealing(options);
  const met = { pages: 0, responses: 0 };
  // A walk over all pages that makes a list for the books has still to meet what is not on it.
  const listed = options.proves === "coverage" ? ids : undefined;
  const isUndone = (id: number): boolean => isUndealt(dealing, id);
  const readIn = async (page: number, inOrder: Order): Promise<PageRead> => {
    await holdLease(ctx);
    observe({ kind: "page", surveyId: ctx.surveyId, page, order: inOrder });
    return service.page(ctx.surveyId, page, inOrder);
  };
  /** Of the responses that are counted, by the pages that those met so far have filled. Each has a record at least. */
  const knownPages = (): number => {
    const { lastPage = 0 } = ctx.mark;
    const pages = met.responses === 0 ? 1 / PAGE_SIZE : met.pages / met.responses;
    return Math.max(lastPage, Math.floor(SURELY * (ctx.listedCount ?? 0) * pages));
  };
  const steps = walk({
    ...options,
    read: (page) => readIn(page, order),
    otherFirst: () => readIn(1, order === "asc" ? "desc" : "asc"),
    shortPageEnds: ctx.shortPageEnds,
    lastPage: ctx.mark.lastPage,
    knownPages,
    stepsOver: stepsOver(ctx, order, triesAgain),
    judge: ({ runs }) => {
      met.pages += 1;
      met.responses += runs.length;
      return judgePage(ctx, runs, dealing);
    },
    isNew: (id) => listed?.has(id) === false || isUndone(id),
    isMet: (id) => listed?.has(id) ?? !isUndone(id),
    isEnough: (page) => options.isEnough?.(shown(page, dealing)) === true,
  });
  for (;;) {
    const next = await steps.next();
    const { covered, moved, steppedOver, position, shortPageEnds } = next.value;
    const dealt = await deal(ctx, next.value, next.done ? [] : next.value.page.orphans, dealing);
    const step = { ...dealt, position, covered, moved, steppedOver };
    // A contradiction holds for good, though this walk may be left before its end.
    if (shortPageEnds === false || (next.done && next.value.kind === "end")) ctx.shortPageEnds = shortPageEnds;
    if (!next.done) {
      yield { ...step, page: next.value.page.number };
      continue;
    }
    const end = next.value;
    noteEnd(ctx, order, end, { from, tries: triesAgain });
    if (steppedOver.length > 0) observe({ kind: "stepped over", surveyId: ctx.surveyId });
    if (end.kind === "end" && end.by === "two looks") ctx.mark.lastPage = end.last;
    yield { ...step, page: end.last, end };
    return;
  }
}
