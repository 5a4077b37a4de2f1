import type { PassIds } from "../books/pass-ids.ts";
import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { Run } from "../model/records.ts";
import type { Order, PageRead } from "../ports.ts";
import { PAGE_SIZE, type Page } from "../walk/page.ts";
import { type EndSeen, type WalkEnd, walk } from "../walk/walk.ts";
import { type Dealing, type Dealt, deal, isBelow, isUndealt, judgePage } from "./deal.ts";
import { noteEnd, stepsOver } from "./failing-page.ts";

/** The gain of a walk by one page more, or by its end. */
export interface SurveyStep extends Dealt {
  /** The page read; of the end: the last one. */
  page: number;
  /** Where another walk may go on once all of this is dealt with (R7). */
  position: number;
  /** The responses on the page. */
  runs: Run[];
  /** Whether the page shows anything that has still to be dealt with. */
  news: boolean;
  /** Whether it shows anything that was dealt with before. */
  isKnown: boolean;
  /** Whether every response of the page lies below the floor by its date alone, or is open and known. */
  belowFloor: boolean;
  /** See `WalkStep`. */
  covered: boolean;
  moved: boolean;
  steppedOver: readonly number[];
}

/** The facts of a page that a walk knows before anything of it is handed out. */
export type SurveyPage = Pick<SurveyStep, "page" | "runs" | "news" | "isKnown" | "belowFloor">;

/** Enough: nothing more was to be read. Time up: more was, and there was no time left. Failed: the failure is noted, and told at the end of the poll. */
export type SurveyEnd = SurveyStep & {
  kind: WalkEnd["kind"];
  /** See `WalkEnd`. */
  by?: EndSeen;
  isEmpty: boolean;
  failedAt?: number;
};

export interface SurveyWalkOptions {
  order: Order;
  from: number;
  /** See `WalkOptions`. */
  proves: "contents" | "coverage";
  mostAhead?: number;
  /** Whether nothing more is read behind this page. Asked for each page before anything of it is handed out. */
  isEnough?: (page: SurveyPage) => boolean;
  /** Called before anything is entered into the ledger. */
  beforeWrites?: () => Promise<void>;
  /** Whether the time is up: see `WalkOptions`. */
  isTimeUp?: () => boolean;
  /** Ids that it meets. A full pass also has those that its earlier slices have met: only these are known then (R7). */
  ids?: PassIds | undefined;
  isPass?: boolean;
  /** Whether it tries a page once more that others step over (R9). */
  triesAgain?: boolean;
}

/**
 * Walks over a survey's pages and judges each response by the ledger. Responses that need no event are entered into the ledger here: open, before the floor,
 * unreadable. One that needs an event is handed out, once.
 */
export async function* surveyWalk(ctx: PollContext, options: SurveyWalkOptions): AsyncGenerator<SurveyStep, SurveyEnd> {
  const { order, from, proves, ids, isPass = false, triesAgain = proves === "coverage" } = options;
  const { service, observe } = ctx.ports;
  const { beforeWrites } = options;
  const met = { verdicts: new Map(), dealt: new Set<number>(), floorRose: false };
  const dealing: Dealing = { ...met, order, from, proves, ids, isPass, beforeWrites };
  const isUndone = (id: number): boolean => isUndealt(dealing, id);
  const isNew = (id: number): boolean => (isPass && ids?.has(id) === false) || isUndone(id);
  const readIn = async (page: number, inOrder: Order): Promise<PageRead> => {
    await holdLease(ctx);
    observe({ kind: "page", surveyId: ctx.surveyId, page, order: inOrder });
    return service.page(ctx.surveyId, page, inOrder);
  };
  const shown = ({ runs, number }: Pick<Page, "runs" | "number">): SurveyPage => ({
    page: number,
    runs,
    news: runs.some(({ responseId }) => isUndone(responseId)),
    isKnown: runs.some(({ responseId }) => !isUndone(responseId)),
    belowFloor: runs.length > 0 && runs.every(({ responseId }) => isBelow(dealing, responseId)),
  });
  const steps = walk({
    from,
    proves,
    read: (page) => readIn(page, order),
    otherFirst: () => readIn(1, order === "asc" ? "desc" : "asc"),
    shortPageEnds: ctx.shortPageEnds,
    lastPage: ctx.mark.lastPage,
    // Each response has a record at least.
    knownPages: Math.max(ctx.mark.lastPage ?? 0, Math.floor((ctx.listedCount ?? 0) / PAGE_SIZE)),
    stepsOver: stepsOver(ctx, order, triesAgain),
    ...(options.isTimeUp === undefined ? {} : { isTimeUp: options.isTimeUp }),
    ...(options.mostAhead === undefined ? {} : { mostAhead: options.mostAhead }),
    judge: ({ runs }) => judgePage(ctx, runs, dealing),
    isNew,
    isMet: (id) => (isPass ? ids?.has(id) === true : !isUndone(id)),
    isEnough: (page) => options.isEnough?.(shown(page)) === true,
  });
  for (;;) {
    const next = await steps.next();
    const { covered, moved, steppedOver, position, shortPageEnds } = next.value;
    const page: Pick<Page, "runs" | "number" | "orphans"> = next.done
      ? { number: next.value.last, runs: [], orphans: [] }
      : next.value.page;
    const before = shown(page);
    const dealt = await deal(ctx, next.value, page, dealing);
    const step: SurveyStep = { ...before, ...dealt, position, covered, moved, steppedOver };
    // A contradiction holds for good, though this walk may be left before its end.
    if (shortPageEnds === false || (next.done && next.value.kind === "end")) ctx.shortPageEnds = shortPageEnds;
    if (!next.done) {
      yield step;
      continue;
    }
    noteEnd(ctx, order, next.value, { from, tries: triesAgain });
    const end = next.value;
    if (end.steppedOver.length > 0) observe({ kind: "stepped over", surveyId: ctx.surveyId });
    if (end.kind === "end" && end.by === "two looks") ctx.mark.lastPage = end.last;
    const seen = end.kind === "end" ? { by: end.by, isEmpty: end.isEmpty } : { isEmpty: false };
    return { ...step, kind: end.kind, ...seen, ...(end.kind === "failed" ? { failedAt: end.page } : {}) };
  }
}
