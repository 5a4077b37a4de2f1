import * as z from "zod";
import { section } from "../config/fields.ts";
import { completedAt, decide, type EntryState } from "../polling/index.ts";
import { entriesOf, judgementOf, lastPageOf, lookAtPages } from "./list-pages.ts";
import type { Operation } from "./operation.ts";
import { readySource, refusePaused } from "./survey-work.ts";

const inputSchema = section({
  surveyId: z.int().positive(),
  /** Pages to be read, at most 50; none: how many there are is all that is asked. */
  pages: z.array(z.int().positive()).max(50),
  /** A page that may be the last one. */
  guess: z.int().positive().optional(),
  /** Whether the books of the survey have ever closed. */
  hasBooks: z.boolean(),
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
}

/** Looks up what some pages of a list show in the ledger. Nothing is changed. */
export const sample: Operation<z.infer<typeof inputSchema>, SampleResult> = {
  input: inputSchema,
  async run(context, { surveyId, pages, guess, hasBooks }) {
    const ports = context.graph.begin(context.abortsAt);
    const account = await readySource(context, surveyId, ports);
    refusePaused(account);
    const result: SampleResult = { empty: [], states: {}, completed: {} };
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
        const decision = decide(run, undefined, by);
        const unknown = decision === "emit" ? "missing" : "unnoted";
        const state = entries.get(run.responseId)?.state ?? unknown;
        result.states[state] = [...(result.states[state] ?? []), run.responseId];
        if (state === "missing") result.completed[run.responseId] = completedAt(run);
      }
    }
    return result;
  },
};
