import type { StreamPosition } from "../model/mark.ts";
import type { Run } from "../model/records.ts";
import { sampleOf, showsAgain } from "../walk/page-sample.ts";

/** Pages behind the one at which it stopped on which that may be known again. */
const LATER = 1;
/** Pages that it goes back where it is not. */
const FURTHER = 8;
/** How often it goes back before it has passed the page from which it did so first: a list that moves all the time must come to its end. */
const MOST_BACK = 2;

/** Where a stream is to begin again, as the page of its position was not known again or is not there. */
export interface StepBack {
  to: number;
  /** The page that has to be passed before it goes back again; absent where the list has become shorter than that. */
  from?: number;
}

/**
 * The place of a stream in its list, from its position on: whether what it reads stands behind what was done, and how far that is done now.
 * The position is raised with it.
 */
export interface StreamPlace {
  /** The page at which to begin. */
  readonly from: number;
  /** Notes a page that was read. */
  met(page: number, runs: Run[]): void;
  /** Whether what comes behind its place is met from the page read last on; if not, nothing of that is done with. */
  isKnown(): boolean;
  /** Whether the page read last is one that nothing was done with before: a slice gets that far at least. */
  isBeyond(): boolean;
  /** Whether it would have been known again by now. */
  isLost(): boolean;
  /** Notes that nothing of the page read last, or of those before it, was left. */
  keep(): void;
  /** Raises the position to the last such page up to `settled`; false where it stands there already. */
  raise(settled: number): boolean;
  /** Where to begin again at the end of the list; undefined where nothing can have been missed. */
  atEnd(): StepBack | undefined;
  /** Some pages before, and twice as far where that was not enough. */
  further(): StepBack;
}

export function placeOf(position: StreamPosition): StreamPlace {
  const { page: reached, sample = [], goneBackFrom, timesBack = 0 } = position;
  // One page back: a deletion meanwhile has moved records there.
  const from = Math.max(1, reached - 1);
  /** By the page, of those up to which the position was not raised yet. */
  const samples = new Map<number, string[]>();
  /** Whether the page of the position is seen again, or the one is passed from which it had gone back. */
  let known = from === 1 || (sample.length === 0 && goneBackFrom === undefined);
  let last = 0;
  /** What that page has shown: the very last part of a list comes with no page of its own. */
  let shown: Run[] = [];
  /** Whether it is believed where it has gone back to: nothing was done from there on, or it has gone back often enough. */
  const isBelieved = goneBackFrom !== undefined && (sample.length === 0 || timesBack >= MOST_BACK);
  const isKnown = (): boolean => known || isBelieved;
  const further = (): StepBack => {
    const furthest = Math.max(reached, goneBackFrom ?? 0);
    return { to: Math.max(1, reached - Math.max(FURTHER, furthest - reached)), from: furthest };
  };
  return {
    from,
    met: (page, runs) => {
      if (page !== last || runs.length > 0) shown = runs;
      last = page;
      known ||= showsAgain(runs, sample) || page > (goneBackFrom ?? Number.POSITIVE_INFINITY);
    },
    isKnown,
    isBeyond: () => last > reached,
    // What has come before it has moved it further down.
    isLost: () => !isKnown() && last >= reached + LATER,
    keep: () => {
      samples.set(last, sampleOf(shown));
    },
    raise: (settled) => {
      const page = Math.max(0, ...[...samples.keys()].filter((kept) => kept <= settled));
      if (page <= position.page) return false;
      position.page = page;
      position.sample = samples.get(page) ?? [];
      // They were counted for a seam that is behind it now.
      delete position.retries;
      if (page > (position.goneBackFrom ?? 0)) forgetBack(position);
      for (const done of samples.keys()) if (done <= page) samples.delete(done);
      return true;
    },
    atEnd: () => {
      const isShorter = last < (goneBackFrom ?? reached);
      if (known || (goneBackFrom !== undefined && !isShorter)) return undefined;
      // Whatever is left of the list may have moved past its place.
      return isShorter ? { to: 1 } : further();
    },
    further,
  };
}

/** Begins further up from now on, whatever becomes of this slice. */
export function goBack(position: StreamPosition, { to, from }: StepBack): void {
  const { timesBack = 0 } = position;
  position.page = to;
  delete position.sample;
  forgetBack(position);
  if (from === undefined) return;
  position.goneBackFrom = from;
  position.timesBack = timesBack + 1;
}

function forgetBack(position: StreamPosition): void {
  delete position.goneBackFrom;
  delete position.timesBack;
}
