import pLimit from "p-limit";
import * as z from "zod";
import { section } from "../config/fields.ts";
import {
  BEYOND,
  classify,
  completedAt,
  type EntryState,
  endsWork,
  knownOf,
  lastOf,
  type Page,
  toPage,
} from "../polling/index.ts";
import { dateRange } from "./backfill.ts";
import { entriesOf, operation, readySource, refusePaused } from "./operation.ts";

/** In which state the ledger has a listed response. Unnoted: it needs no event, and no reading has met it yet. */
export type SampledState = EntryState | "unnoted" | "missing";

export interface SampleResult {
  /** Pages of the list; only where no page was to be read. */
  length?: number;
  /** Pages that have shown nothing: the list is shorter by now. */
  empty: number[];
  /** Response ids by what the ledger has of them. */
  states: Partial<Record<SampledState, number[]>>;
  /** Dates of completion of those that are missing, by id. */
  completed: Record<string, string | null>;
  /** Those that a backfill of the range would emit. */
  history: number[];
}

const AT_ONCE = 4;

/** Looks up what some pages of a list show in the ledger. It takes no lease, and writes nothing. */
export const sample = operation({
  input: section({
    surveyId: z.int().positive(),
    /** Pages to be read, at most 50; none: how many there are is all that is asked. */
    pages: z.array(z.int().positive()).max(50),
    /** Whether the books of the survey have ever closed. */
    hasBooks: z.boolean(),
    range: dateRange.optional(),
  }),
  async run(context, { surveyId, pages, hasBooks, range }) {
    const { ports } = context;
    const account = await readySource(context, surveyId);
    refusePaused(account);
    const result: SampleResult = { empty: [], states: {}, completed: {}, history: [] };
    // It waits behind what ticks ask.
    const service = ports.backlog ?? ports.service;
    const pageAt = async (page: number) => toPage(page, await service.page(surveyId, page, "asc"));
    if (pages.length === 0) return { ...result, length: await lastPageOf(pageAt) };
    const now = ports.clock.now();
    /** As a full read would judge them. */
    const by = { start: knownOf(account).start, hasBooks, now, looksAtHeld: true, replaces: false };
    const limit = pLimit(AT_ONCE);
    for (const [i, page] of (await Promise.all(pages.map((number) => limit(pageAt, number)))).entries()) {
      if (page === undefined) {
        result.empty.push(pages[i] ?? 0);
        continue;
      }
      const ids = new Set(page.runs.map(({ responseId }) => responseId));
      const entries = await entriesOf(ports, surveyId, [...ids]);
      for (const run of page.runs) {
        const entry = entries.get(run.responseId);
        const state = entry?.state ?? (classify(run, undefined, by) === "emit" ? "missing" : "unnoted");
        result.states[state] = [...(result.states[state] ?? []), run.responseId];
        if (state === "missing") result.completed[run.responseId] = completedAt(run);
        const isHistory = range !== undefined && classify(run, entry, by) !== "emit";
        if (isHistory && classify(run, entry, { ...by, backfill: range }) === "emit")
          result.history.push(run.responseId);
      }
    }
    return result;
  },
});

/**
 * Number of the last page that holds records, found in about 2 log2 requests; 0 for an empty list.
 *
 * Behind the end some services show nothing, some fail, and some show the last page or the first again.
 */
async function lastPageOf(pageAt: (number: number) => Promise<Page | undefined>): Promise<number> {
  const first = await pageAt(1);
  if (first === undefined) return 0;
  const signatureAt = async (number: number): Promise<string | undefined> => {
    try {
      return (await pageAt(number))?.signature;
    } catch (error) {
      if (endsWork(error)) throw error;
      return undefined;
    }
  };
  const beyond = await signatureAt(BEYOND);
  const isThere = async (number: number): Promise<boolean> => {
    const signature = await signatureAt(number);
    return signature !== undefined && signature !== beyond;
  };
  const last = (await lastOf(1, isThere)) ?? BEYOND;
  // Of a list whose last page is shown again and again, that page is what stands behind the last one of its own.
  return last + (beyond !== undefined && beyond !== first.signature ? 1 : 0);
}
