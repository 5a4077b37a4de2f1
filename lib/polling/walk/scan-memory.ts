import { classOf, completedAt, type Run } from "../model/records.ts";
import type { Page } from "./pages.ts";

/** What is to be done about a run: nothing, or something for which its first records are enough, or its whole. */
export type Verdict = "settled" | "note" | "whole";

/** Responses remembered as met: enough for any shift, and no list of a million ids. */
const REMEMBERED = 20_000;

/** What one scan remembers of the responses that it has met. */
export interface ScanMemory {
  /** Runs of a page that this scan meets for the first time, or has not noted yet, each response once. */
  unmet(page: Page): Run[];
  judged(verdicts: Map<number, Verdict>): void;
  /** Whether the run belongs to a response whose whole is needed and not known yet. */
  matters(run: Run | undefined): run is Run;
  /** Whether any response of the page has to be known whole, or had to be. */
  hasNews(page: Page): boolean;
  /** The runs of a page that belong to responses whose whole is or was needed, those left for a later scan included. */
  pieces(page: Page): Run[];
  /** Takes the runs judged "note" from a page, once. */
  takeNoted(page: Page): Run[];
  /** Notes the responses of which these runs, seen at one moment together with the `earlier` ones, are further parts. */
  split(runs: Run[], earlier?: Run[]): void;
  /** Closes a run that ends on `page`: "whole" if it has to be known whole and is so for the first time, "repeat" if it was met before. */
  close(run: Run, page: Page): "whole" | "first" | "repeat";
  /** Responses left for a later scan, those included that were begun and have moved out of sight; not `carried`. */
  left(carried: Run | undefined): number[];
  /** Leaves a response whose edges cannot be proved for a later scan. */
  defer(run: Run | undefined): void;
  /** Pages from here on are read again: what they showed first is no evidence. */
  unsettle(page: number): void;
  /** What was remembered of contents cannot be compared any more. */
  forgetContents(): void;
  /** Responses closed as one run of more than one record. */
  several(): number;
  /** Responses whose records certainly lie apart, by id: the part that has shown it. */
  apart: Map<number, Run>;
  /** Responses that came back with a record not seen before, which a change of the list explains as well. */
  suspect: Map<number, Run>;
}

/** Thousands of these are held: none of them holds a page, or a record. */
interface Closed {
  /** Number of the page on which it ended, and which read of it that was. */
  page: number;
  read: symbol;
  /** Digests of its records, one after the other; undefined where they were forgotten. */
  records: string | undefined;
  state: string;
}

export function createScanMemory(): ScanMemory {
  const verdicts = new Map<number, Verdict>();
  const closed = new Map<number, Closed>();
  const deferred = new Set<number>();
  /** Noted as open by their first records: another part may say that they are completed. */
  const open = new Set<number>();
  /** Responses whose whole is needed and not known yet. */
  const awaited = new Set<number>();
  const apart = new Map<number, Run>();
  const suspect = new Map<number, Run>();
  /** From this page on nothing has moved while it was read. */
  let stillFrom = 1;

  const matters = (run: Run | undefined): run is Run =>
    run !== undefined && verdicts.get(run.responseId) === "whole" && !closed.has(run.responseId);

  /** Whether a run goes on with a response that was noted as open, and says something else. */
  const isOtherwise = (run: Run): boolean =>
    open.has(run.responseId) && !closed.has(run.responseId) && classOf(run) !== "open";

  let several = 0;

  return {
    several: () => several,
    apart,
    suspect,
    matters,
    // One judged "note" whose page was read again is judged again: it may have been completed in between.
    unmet: (page) =>
      firstOfEach(page.runs.filter((run) => (verdicts.get(run.responseId) ?? "note") === "note" || isOtherwise(run))),
    judged(fresh) {
      for (const [id, verdict] of fresh) {
        verdicts.set(id, verdict);
        open.delete(id);
        if (verdict === "whole") awaited.add(id);
      }
      forgetOldest(verdicts);
    },
    hasNews: (page) => page.runs.some((run) => verdicts.get(run.responseId) === "whole"),
    pieces: (page) =>
      page.runs.filter(({ responseId }) => verdicts.get(responseId) === "whole" || deferred.has(responseId)),
    takeNoted(page) {
      const noted = firstOfEach(page.runs.filter((run) => verdicts.get(run.responseId) === "note"));
      for (const run of noted) {
        verdicts.set(run.responseId, "settled");
        if (classOf(run) === "open") open.add(run.responseId);
      }
      forgetOldest(open);
      return noted;
    },
    split(runs, earlier = []) {
      const there = new Set(earlier.map(({ responseId }) => responseId));
      for (const run of runs) {
        if (there.has(run.responseId)) apart.set(run.responseId, run);
        there.add(run.responseId);
      }
    },
    close(run, page) {
      const before = closed.get(run.responseId);
      const records = [...new Set(run.records.map((record) => record.digest))];
      const state = stateOf(run);
      if (before === undefined) {
        if (run.records.length > 1) several += 1;
        awaited.delete(run.responseId);
        closed.set(run.responseId, { page: page.number, read: page.read, records: inOne(records), state });
        forgetOldest(closed);
        return verdicts.get(run.responseId) === "whole" ? "whole" : "first";
      }
      // A repeat is a shift of the pages. A record never seen before is a response that lies apart, unless the list
      // has changed meanwhile: certain only if nothing has moved since the first part was read, nor it itself been
      // completed, which changes its place, and may go unseen with another change beside it. Twice on one page is no
      // repeat even if the records are equal.
      const isForgotten = before.records === undefined;
      const known = before.records ?? inOne(records);
      const others = records.filter((digest) => !known.includes(inOne([digest])));
      // Of what cannot be compared any more a part on another page may be another part.
      if (before.read === page.read || others.length > 0 || (isForgotten && before.page !== page.number)) {
        const isStill = before.page >= stillFrom && before.state === state;
        (isStill ? apart : suspect).set(run.responseId, run);
        before.records = known + inOne(others);
      }
      return "repeat";
    },
    defer(run) {
      if (!matters(run)) return;
      deferred.add(run.responseId);
      awaited.delete(run.responseId);
      verdicts.set(run.responseId, "settled");
    },
    left: (carried) => [...deferred, ...[...awaited].filter((id) => id !== carried?.responseId)],
    unsettle(page) {
      stillFrom = Math.max(stillFrom, page + 1);
    },
    forgetContents() {
      for (const one of closed.values()) one.records = undefined;
    },
  };
}

/** What its records say of the response as a whole, as far as its place in the list may follow from it. */
function stateOf(run: Run): string {
  return inOne([classOf(run), String(completedAt(run))]);
}

/** One string takes a third of the memory of several, and holds on to none that it was made of. */
function inOne(words: string[]): string {
  return ["", ...words, ""].join(" ");
}

/** A response may have several runs on a page where records are not contiguous: judged by the first. */
function firstOfEach(runs: Run[]): Run[] {
  const first = new Map<number, Run>();
  for (const run of runs) if (!first.has(run.responseId)) first.set(run.responseId, run);
  return [...first.values()];
}

/** Forgets what was remembered first, but for so many: of a list of a million responses no scan remembers all. */
export function forgetOldest(kept: Map<number, unknown> | Set<number>, most: number = REMEMBERED): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
