import type { Edge } from "../model/mark.ts";
import { digestOf, type Run } from "../model/records.ts";
import { createVolatileFields } from "../model/volatile-fields.ts";
import { carryOf, edgeOf, pageOf } from "./edge.ts";
import { mayBePastEnd } from "./failing-end.ts";
import { createListEnd } from "./list-end.ts";
import { createMovedEnds } from "./moved-ends.ts";
import { createPageComparison, standsAs } from "./page-comparison.ts";
import { isFound, PAGE_SIZE, type Page, toPage } from "./pages.ts";
import { createScanMemory } from "./scan-memory.ts";
import type { ScanEnd, ScanOptions, ScanStep } from "./scan-types.ts";
import { createSeamTrials } from "./seam-trials.ts";

export type { Verdict } from "./scan-memory.ts";
export type { ScanEnd, ScanOptions, ScanStep } from "./scan-types.ts";

/** Pages to go back for the beginning of a response: 10,000 records of one response. */
const MOST_RETREATS = 100;

/** How often a page is read again that has changed before what is behind it failed. */
const MOST_CHANGES = 3;

/** Whether the page begins with what its response had on the page before already: it has equal records, or they were shifted across the seam. */
function looksShifted(carry: Run | undefined, page: Page): boolean {
  const first = page?.runs[0];
  if (carry === undefined || first?.responseId !== carry.responseId) return false;
  return first.records.some(({ digest }) => carry.records.some((record) => record.digest === digest));
}

/** Whether a page, as it is now, shows any record that it had before. */
function showsAny(now: Page | undefined, before: Page): boolean {
  const known = new Set([...before.digests, ...before.tail]);
  return now?.digests.some((digest) => known.has(digest)) === true;
}

/**
 * Reads pages one after the other and joins records into responses.
 *
 * A response that touches a page edge is whole only if nothing moved between the reads of the two pages: for one that
 * matters, the earlier page is read again after the later one, then the later one, and both must hold the same; else the scan steps
 * back. That the earlier one does is not enough: changes that cancel each other may have come before and after the read of the later one.
 *
 * @throws RangeUnreachableError when a page stays empty although a later one holds records
 */
export async function* scan(options: ScanOptions): AsyncGenerator<ScanStep, ScanEnd> {
  const memory = createScanMemory();
  const trials = createSeamTrials();
  const movedEnds = createMovedEnds();
  const { matters, defer } = memory;
  const { volatile = createVolatileFields() } = options;
  const comparison = createPageComparison(volatile, memory.forgetContents, (page) => end.mayGoOn(page));
  const { isSame, isRepeat } = comparison;
  const orphaned = new Set<string>();
  let proved = true;
  let covered = true;
  let moved = false;
  let ended = true;
  let previous: Page | undefined = options.after === undefined ? undefined : pageOf(options.after);
  /** The last run of `previous`, with what it had on the pages before. */
  let carry: Run | undefined = options.after === undefined ? undefined : carryOf(options.after);
  /** Whether `carry` begins with the first record of its response, and nothing of it was skipped. */
  let carrySure = options.after?.carry?.sure ?? false;
  /** Whether `carry` comes from an earlier scan: of its records only the digests are known. */
  let carryKept = carry !== undefined;
  /** The page on which an earlier scan has ended, should it be read again. */
  const expected = options.expect ?? options.after;
  let number = options.after === undefined ? options.from : options.after.page + 1;
  let ready: Page | undefined;
  let retreats = 0;
  /** The page that was read again last because what is behind it failed, and how often. */
  let changedAt: { page: number; times: number } | undefined;

  const read = async (page: number): Promise<Page | undefined> => toPage(page, await options.read(page), volatile);
  const reread = async (page: number): Promise<Page | undefined> =>
    toPage(page, await (options.reread ?? options.read)(page), volatile);
  const look = async (page: number): Promise<Page | undefined> =>
    toPage(page, await (options.look ?? options.read)(page), volatile);

  const end = createListEnd({
    shortPageEnds: options.shortPageEnds,
    first: (expected?.version ?? "") === volatile.version ? expected?.first : undefined,
    volatile,
    read,
    look,
    ...comparison,
    ending: () => carry,
    otherFirst: async () =>
      options.otherFirst === undefined ? undefined : toPage(1, await options.otherFirst(), volatile),
    failsPastEnd: options.failsPastEnd ?? (() => false),
  });

  /** Whether what stands behind `earlier` does so a third time. */
  const stillStands = async (earlier: Page, page: Page | undefined): Promise<boolean> =>
    page === undefined ? stillEnds(earlier) : isSame(await look(page.number), page);

  /** Begins again at a page, of which `known` is a fresh read if there is one. */
  const stepBack = (page: number, known: Page | undefined): void => {
    previous = undefined;
    carry = undefined;
    carryKept = false;
    number = page;
    ready = known;
    memory.unsettle(page);
  };

  /** Whether `page` goes on where `previous` ended, as the ledger tells: the response across the seam is the one it knows. */
  const joins = (page: Page): boolean => {
    const [first] = page.runs;
    if (carry === undefined || first?.responseId !== carry.responseId || page.runs.length < 2) return false;
    const before = new Set([...carry.records.map((record) => record.digest), ...(previous?.digests ?? [])]);
    // Shifted across the seam, or the last page once more, with a change: a response may stand at both of its ends.
    if (page.digests.some((digest) => before.has(digest))) return false;
    const joined: Run = { responseId: carry.responseId, records: [...carry.records, ...first.records] };
    return digestOf(joined, volatile) === options.known?.(carry.responseId);
  };

  /**
   * Reads the next page; "moved" where that fails and the page before it, of which the scan reads again, is not what it was: it may be the end of the
   * list that has come nearer.
   */
  const readOn = async (): Promise<Page | undefined | "moved"> => {
    try {
      return await end.readBehind(number, previous);
    } catch (error) {
      if (previous === undefined && (await end.isBehind(number, error))) return undefined;
      if (previous === undefined || !mayBePastEnd(error)) throw error;
      const again = await look(previous.number).catch((failure: unknown) => {
        if (mayBePastEnd(failure)) return undefined;
        throw failure;
      });
      if (isSame(again, previous)) throw error;
      moved = true;
      if (!isFound(previous.tail, again)) movedEnds.seek(previous.tail, previous.number);
      changedAt =
        changedAt?.page === previous.number
          ? { page: changedAt.page, times: changedAt.times + 1 }
          : { page: previous.number, times: 1 };
      // What fails each time, whatever has changed before it, is no end that has come nearer.
      if (changedAt.times > MOST_CHANGES || !trials.moved(previous.number)) throw error;
      stepBack(previous.number, again);
      return "moved";
    }
  };

  /** Whether nothing stands behind `last` still, where a response depends on it. */
  const stillEnds = async (last: Page): Promise<boolean> => !matters(carry) || (await end.stillEnds(last));

  /** Whether what stands behind `earlier` is the same as before, where a response depends on it: `page`, or nothing. */
  const stillFollows = async (earlier: Page, page: Page | undefined): Promise<boolean> => {
    if (page === undefined) return stillEnds(earlier);
    if (!matters(carry) && !matters(page.runs[0]) && !looksShifted(carry, page)) return true;
    return isSame(await reread(page.number), page);
  };

  /** Whether the seam between `earlier` and `page` is proved or given up, or the scan has stepped back. */
  const prove = async (earlier: Page, page: Page | undefined): Promise<"proved" | "given up" | "stepped back"> => {
    // The end has come nearer where that is how the service answers behind it.
    const isGone = async (error: unknown): Promise<undefined> => {
      if (page !== undefined || end.isFailing() !== true || !mayBePastEnd(error)) throw error;
    };
    let again = await reread(earlier.number).catch(isGone);
    let isUnchanged = isSame(again, earlier) && (await stillFollows(earlier, page));
    if (isUnchanged && trials.isThirdNeeded()) {
      again = await look(earlier.number).catch(isGone);
      isUnchanged = isSame(again, earlier) && (await stillStands(earlier, page));
    }
    if (isUnchanged) {
      trials.held(earlier.number);
      // Both stood so at one moment: what is on both, but for the response across the edge, lies apart.
      const [first, ...others] = page?.runs ?? [];
      const behind = first === undefined || first.responseId === carry?.responseId ? others : [first, ...others];
      memory.split(behind, again?.runs);
      return "proved";
    }
    moved = true;
    // What it showed first is no evidence any more, from wherever the scan goes on.
    memory.unsettle(earlier.number);
    const stands = standsAs(earlier, again);
    if (!stands && !isFound(earlier.tail, again, page)) movedEnds.seek(earlier.tail, earlier.number);
    if (trials.broke(earlier.number)) {
      // What moved up by more than a page stands before the one that was read again.
      if (earlier.number > 1 && !stands && !showsAny(again, earlier)) stepBack(earlier.number - 1, undefined);
      else stepBack(earlier.number, again);
      return "stepped back";
    }
    proved = false;
    covered = false;
    defer(carry);
    defer(page?.runs[0]);
    return "given up";
  };

  /** Nothing can be closed as whole of which only digests are known: it lies apart, and its other parts are met elsewhere. */
  const leaveKept = (): void => {
    if (!carryKept || !matters(carry)) return;
    defer(carry);
    carry = undefined;
  };

  async function* finish(last: Page | undefined): AsyncGenerator<ScanStep, ScanEnd> {
    leaveKept();
    covered &&= !movedEnds.isAnySought();
    const page = last?.number ?? 0;
    const closing = carry === undefined || last === undefined ? undefined : memory.close(carry, last);
    const apart = memory.apart.size > 0;
    const deferred = memory.left(undefined);
    if (last !== undefined && carry !== undefined && (closing === "whole" || (closing === "first" && carrySure))) {
      const [whole, others] = closing === "whole" ? [[carry], []] : [[], [carry]];
      const step = { noted: [], whole, others, orphans: [], news: closing === "whole", deferred: deferred.length };
      const edge = (): Edge =>
        edgeOf(last, undefined, { sure: false, first: end.firstDigest(), version: volatile.version });
      yield {
        page,
        ids: [],
        runs: [],
        isRest: true,
        pieces: [],
        ...step,
        covered,
        moved,
        shortPageEnds: end.shortPageEnds(),
        several: memory.several(),
        apart,
        suspect: memory.suspect.size > 0,
        edge,
        cut: false,
      };
    }
    const scattered = [...memory.apart.values(), ...memory.suspect.values()];
    const suspect = memory.suspect.size > 0;
    return {
      shortPageEnds: end.shortPageEnds(),
      deferred,
      apart,
      suspect,
      scattered,
      several: memory.several(),
      proved: proved && covered,
      covered,
      moved,
      ended,
      failing: end.isFailing(),
      empty: last === undefined,
    };
  }

  for (;;) {
    const next = ready ?? (await readOn());
    if (next === "moved") continue;
    let page = next;
    ready = undefined;
    const isRepeated = page !== undefined && (await isRepeat(page, previous, look));
    const isOver = page !== undefined && !isRepeated && (await end.beginsAgain(page, previous));
    if (isOver) page = undefined;

    if (page === undefined && previous === undefined && number > 1) {
      // The list has become shorter than where this scan was to begin: what an earlier one has not read may stand before the half of that.
      moved = true;
      if (expected !== undefined) movedEnds.seek(expected.tail, number);
      number = Math.floor(number / 2);
      continue;
    }
    if (page === undefined) {
      if (isOver) {
        // Two more reads have shown it.
      } else if (previous === undefined && options.trustEmpty) {
        ended = false;
      } else if (end.isTold(previous) && options.prove !== "all" && !matters(carry)) {
        // Where everything is to be proved it is not relied upon; else it saves two requests and proves nothing.
        proved = false;
      } else {
        ready = await end.secondLook(number, previous);
        if (ready !== undefined) continue;
      }
      // Nothing is left of the page on which an earlier scan has ended.
      if (previous === undefined && expected !== undefined) {
        moved = true;
        covered = false;
      }
      // A page need not have been the last one when it was read, and a page may be read as empty by mistake: nothing new is cut by that.
      // Where all is to be proved, changes that cancel each other around the seam before it show only in its second read.
      const hasNews = previous !== undefined && memory.hasNews(previous);
      const inDoubt = matters(carry) || options.prove === "all" || (options.prove === "news" && hasNews);
      // What stood behind a full page may have moved onto it since it was read.
      if (!inDoubt && (previous?.size ?? 0) >= PAGE_SIZE) proved = false;
      if (inDoubt && previous !== undefined && (await prove(previous, undefined)) === "stepped back") continue;
      return yield* finish(previous);
    }
    if (previous !== undefined && isRepeated) {
      const again = await read(previous.number);
      const what = await end.equalPage(page, again);
      if (what === "last") return yield* finish(previous);
      if (what === "moved") {
        moved = true;
        if (!isFound(previous.tail, again)) movedEnds.seek(previous.tail, previous.number);
        // Else it is a page like any other, of which the proof of its seam says the same.
        if (trials.moved(previous.number)) {
          stepBack(previous.number, again);
          continue;
        }
      }
    }
    if (expected?.page === page.number && previous === undefined && expected.digest !== page.digest) {
      moved = true;
      // What has come before it has shifted its end to the next page, if not further.
      movedEnds.seek(expected.tail, page.number);
    }
    end.met(page, previous);
    memory.split(page.runs);
    const fresh = memory.unmet(page);
    if (fresh.length > 0) memory.judged(await options.judge(fresh));
    const first = page.runs[0];
    if (previous === undefined && page.number > 1 && matters(first)) {
      if (!options.joins && retreats < MOST_RETREATS) {
        // Its beginning may lie on the page before.
        retreats += 1;
        stepBack(page.number - 1, undefined);
        continue;
      }
      defer(first);
    }
    // Its first records did not call for its whole: nothing has proved how they lie.
    if (previous !== undefined && first?.responseId === carry?.responseId && !carrySure && matters(first)) {
      if (retreats < MOST_RETREATS) {
        retreats += 1;
        stepBack(previous.number, undefined);
        continue;
      }
      defer(first);
    }
    // Only its digests are kept of the response across the seam, and now its whole is needed.
    if (carryKept && previous !== undefined && first?.responseId === carry?.responseId && matters(first)) {
      stepBack(previous.number, undefined);
      continue;
    }
    /** Whether the page begins where the one before ended. */
    let seamProved = previous === undefined && page.number === 1;
    let isKnown = false;
    if (previous !== undefined) {
      const needed =
        matters(carry) ||
        matters(first) ||
        (options.prove === "news" && (memory.hasNews(page) || memory.hasNews(previous)));
      isKnown = !needed && options.prove === "all" && joins(page);
      if (isKnown) seamProved = true;
      else if (!needed && options.prove !== "all") {
        proved = false;
        covered = false;
        memory.unsettle(previous.number);
      } else {
        const outcome = await prove(previous, page);
        if (outcome === "stepped back") continue;
        seamProved = outcome === "proved";
        end.goesOn(previous);
      }
    }

    const whole: Run[] = [];
    const others: Run[] = [];
    const close = (run: Run, endsOn: Page, sure: boolean): void => {
      const closing = memory.close(run, endsOn);
      if (closing === "whole") whole.push(run);
      else if (closing === "first" && sure) others.push(run);
    };
    let rest = page.runs;
    let carryEnds = previous ?? page;
    let joined = false;
    if (carry !== undefined && first?.responseId === carry.responseId) {
      carry = { responseId: carry.responseId, records: [...carry.records, ...first.records] };
      carrySure = (carrySure && seamProved) || isKnown;
      rest = rest.slice(1);
      carryEnds = page;
      joined = true;
    }
    if (rest.length > 0) {
      leaveKept();
      if (carry !== undefined) close(carry, carryEnds, carrySure && (joined || seamProved));
      for (const [i, run] of rest.slice(0, -1).entries()) close(run, page, i > 0 || joined || seamProved);
      carry = rest.at(-1);
      carryKept = false;
      carrySure = rest.length > 1 || joined || seamProved;
    }
    covered = movedEnds.met(previous, page) && covered;
    const orphans = page.orphans.filter((record) => !orphaned.has(record.digest));
    for (const record of orphans) orphaned.add(record.digest);
    const noted = memory.takeNoted(page);
    const [ending, endingSure] = [carry, carrySure];
    yield {
      page: page.number,
      ids: page.runs.map((run) => run.responseId),
      runs: page.runs,
      isRest: false,
      noted,
      whole,
      others,
      orphans,
      // A response that ended with the page before is no news of this one.
      news: noted.length > 0 || memory.hasNews(page),
      deferred: memory.left(carry).length,
      apart: memory.apart.size > 0,
      suspect: memory.suspect.size > 0,
      pieces: memory.pieces(page),
      covered: covered && !movedEnds.isAnySought(),
      moved,
      shortPageEnds: end.shortPageEnds(),
      several: memory.several(),
      edge: () => edgeOf(page, ending, { sure: endingSure, first: end.firstDigest(), version: volatile.version }),
      cut: matters(ending),
    };
    previous = page;
    number = page.number + 1;
  }
}
