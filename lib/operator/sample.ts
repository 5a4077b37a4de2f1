import pLimit from "p-limit";
import * as z from "zod";
import { section } from "../config/fields.ts";
import {
  type AccountState,
  completedAt,
  decide,
  type EntryState,
  endsWork,
  type Judgement,
  knownOf,
  type LedgerEntry,
  lastOf,
  type Page,
  type Ports,
  type Run,
  toPage,
} from "../polling/index.ts";
import { dateRange } from "./backfill.ts";
import { type Operation, readySource, refusePaused } from "./operation.ts";

// Pages that are only looked at: no lease, no state, nothing is written.

const inputSchema = section({
  surveyId: z.int().positive(),
  /** Pages to be read, at most 50; none: how many there are is all that is asked. */
  pages: z.array(z.int().positive()).max(50),
  /** A page that may be the last one. */
  guess: z.int().positive().optional(),
  /** Whether the books of the survey have ever closed. */
  hasBooks: z.boolean(),
  /** Dates of completion of a backfill. */
  range: dateRange.optional(),
});

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

/** Looks up what some pages of a list show in the ledger. Nothing is changed. */
export const sample: Operation<z.infer<typeof inputSchema>, SampleResult> = {
  input: inputSchema,
  async run(context, { surveyId, pages, guess, hasBooks, range }) {
    const ports = context.graph.begin(context.abortsAt);
    const account = await readySource(context, surveyId, ports);
    refusePaused(account);
    const result: SampleResult = { empty: [], states: {}, completed: {}, history: [] };
    if (pages.length === 0) return { ...result, length: await lastPageOf(ports, surveyId, guess) };
    const by = judgementOf(account, hasBooks, ports.clock.now());
    for (const [i, look] of (await lookAtPages(ports, surveyId, pages)).entries()) {
      if ("error" in look) throw look.error;
      const { page } = look;
      if (page === undefined) {
        result.empty.push(pages[i] ?? 0);
        continue;
      }
      const entries = await entriesOf(ports, surveyId, page.runs);
      for (const run of page.runs) {
        const entry = entries.get(run.responseId);
        const state = entry?.state ?? (decide(run, undefined, by) === "emit" ? "missing" : "unnoted");
        result.states[state] = [...(result.states[state] ?? []), run.responseId];
        if (state === "missing") result.completed[run.responseId] = completedAt(run);
        const isHistory = range !== undefined && decide(run, entry, by) !== "emit";
        if (isHistory && decide(run, entry, { ...by, backfill: range }) === "emit") result.history.push(run.responseId);
      }
    }
    return result;
  },
};

/** Pages read at once. */
const AT_ONCE = 4;

/** One read of a page; undefined where there is none. */
type PageLook = { page: Page | undefined } | { error: unknown };

/** Pages in asc order, several at once; what they ask waits behind what ticks ask. */
async function lookAtPages(ports: Ports, surveyId: number, pages: number[]): Promise<PageLook[]> {
  const service = ports.backlog ?? ports.service;
  const limit = pLimit(AT_ONCE);
  const look = async (page: number): Promise<PageLook> => {
    try {
      return { page: toPage(page, await service.page(surveyId, page, "asc")) };
    } catch (error) {
      if (endsWork(error)) throw error;
      return { error };
    }
  };
  return Promise.all(pages.map((page) => limit(look, page)));
}

/** The entries of the responses of a page. */
async function entriesOf(
  ports: Ports,
  surveyId: number,
  runs: readonly Run[],
): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const ids = [...new Set(runs.map(({ responseId }) => responseId))];
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  for (let i = 0; i < ids.length; i += 100) {
    for (const [id, entry] of await ports.state.entries(surveyId, ids.slice(i, i + 100))) entries.set(id, entry);
  }
  return entries;
}

/** How a full read would judge them. */
function judgementOf(account: AccountState, hasBooks: boolean, now: number): Judgement {
  return { start: knownOf(account).start, hasBooks, now, looksAtHeld: true, replaces: false };
}

/** A page number that no list reaches. */
const BEYOND = 1_000_000;

/**
 * Number of the last page that holds records, found in about 2 log2 requests; 0 for an empty list. `guess`: a page that may be the last.
 *
 * Behind the end some services show nothing, some fail, and some show the last page or the first again.
 */
async function lastPageOf(ports: Ports, surveyId: number, guess = 1): Promise<number> {
  const signatureAt = async (page: number): Promise<string | undefined> => {
    const [look] = await lookAtPages(ports, surveyId, [page]);
    if (look !== undefined && "error" in look && page === 1) throw look.error;
    return look === undefined || "error" in look ? undefined : look.page?.signature;
  };
  const [first, beyond] = await Promise.all([signatureAt(1), signatureAt(BEYOND)]);
  if (first === undefined) return 0;
  const isThere = async (page: number): Promise<boolean> => {
    const signature = page === 1 ? first : await signatureAt(page);
    return page === 1 || (signature !== undefined && signature !== beyond);
  };
  const known = (await isThere(guess)) ? guess : 1;
  // Most lists have grown by little since their end was seen.
  const last = (await isThere(known + 1)) ? await lastOf(known + 1, isThere) : known;
  // Of a list whose last page is shown again and again, that page is what stands behind the last one of its own.
  return (last ?? BEYOND) + (beyond !== undefined && beyond !== first ? 1 : 0);
}
