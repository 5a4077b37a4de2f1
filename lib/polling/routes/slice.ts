import type { Origin } from "../../events/index.ts";
import type { PassBooks } from "../books/books.ts";
import type { Allowance, PollContext } from "../context.ts";
import type { ScanPosition } from "../model/mark.ts";
import type { Order } from "../ports.ts";
import { emitRuns } from "../publish/emit.ts";
import { repairShort } from "../publish/repair.ts";
import type { ScanEnd } from "../walk/scan.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { type SurveyStep, surveyScan } from "./survey-scan.ts";

export interface SliceOptions {
  order: Order;
  from: ScanPosition;
  origin: Origin;
  allowance: Allowance;
  /** Whether every seam is proved, which may cost a request each: else a deletion between two reads may hide a response. */
  prove: "all" | "cuts";
  books?: PassBooks;
  /** Whether parts of responses are laid aside to be joined: the beginning of one need not be gone back for. */
  joins?: boolean;
  /** The page that an earlier slice has left: what fails again is passed this time. */
  redone?: number | undefined;
  /** Called for each page once what was found on it is dealt with; true ends the scan. */
  onPage: (step: SurveyStep) => Promise<boolean>;
}

export interface Slice {
  counts: PollCounts;
  position: ScanPosition;
  /** Set when the end of the list was reached. */
  end?: ScanEnd;
  /** Whether `onPage` has ended it. */
  stopped: boolean;
  /** The page that it has left before everything on it had gone out: the next slice reads it again. */
  redo?: number;
  /** Whether something was left on a page that it has passed. */
  passed: boolean;
}

/**
 * A part of a slow scan, as long as the allowance lasts but at least one page. With every seam proved a slice goes on
 * exactly where the one before ended, however long ago that was.
 */
export async function slice(ctx: PollContext, options: SliceOptions): Promise<Slice> {
  const { order, from, origin, allowance, prove, books, joins = false, redone, onPage } = options;
  const counts = noCounts();
  let position = from;
  let redo: number | undefined;
  let passed = false;
  const steps = surveyScan(ctx, {
    order,
    from: Math.max(1, from.page),
    ...(from.again === true ? { expect: from.edge } : { after: from.edge }),
    prove,
    joins,
    ...(books === undefined ? {} : { books }),
  });
  for (;;) {
    const next = await steps.next();
    if (next.done && redo !== undefined) return { counts, position, stopped: false, redo, passed };
    if (next.done) return { counts, position, end: next.value, stopped: false, passed };
    const step = next.value;
    const outcome = await emitRuns(ctx, step.toEmit, origin);
    outcome.repaired = await repairShort(ctx, step.short, origin);
    books?.settle(outcome);
    // What is left of the page is met again; but what is held may be all there is, and would be held again.
    if (outcome.unfinished && outcome.found > 0) redo = step.page;
    const left = outcome.left + step.left;
    if (left > 0 && step.page === redone) passed = true;
    else if (left > 0) redo = step.page;
    const found = outcome.found + step.found;
    addCounts(counts, { ...outcome, found, left, quarantined: outcome.quarantined + step.quarantined });
    counts.deferred = step.deferred;
    if (step.isRest) continue;
    if (redo !== undefined) return { counts, position, stopped: false, redo, passed };
    position = positionAfter(step);
    if (await onPage(step)) return { counts, position, stopped: true, passed };
    // A slice that only reads again the page where the last one ended would never come to an end.
    const further = step.page > from.page;
    const spent = allowance.left() <= 0 || ctx.ports.clock.now() > ctx.deadline || counts.unfinished;
    if (further && spent) return { counts, position, stopped: false, passed };
  }
}

/** Where a scan that has dealt with this page goes on. */
export function positionAfter(step: Pick<SurveyStep, "page" | "edge" | "cut">): ScanPosition {
  return { page: step.page, edge: step.edge(), ...(step.cut ? { again: true } : {}) };
}
