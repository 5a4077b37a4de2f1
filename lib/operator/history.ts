import * as z from "zod";
import { section } from "../config/fields.ts";
import { isDateString } from "../events/build/date-string.ts";
import { decide, PAGE_SIZE } from "../polling/index.ts";
import { AT_ONCE, entriesOf, judgementOf, lookAtPages } from "./list-pages.ts";
import type { Operation } from "./operation.ts";
import { readySource } from "./survey-work.ts";

const date = z.string().refine(isDateString, { error: 'must be a date such as "2026-03-10 12:00:00"' });
const inputSchema = section({
  surveyId: z.int().positive(),
  range: section({ from: date, to: date }),
  /** The page at which it goes on, and the signatures of page 1 and of the page before it. */
  page: z.int().positive(),
  first: z.string().optional(),
  before: z.string().optional(),
  hasBooks: z.boolean(),
});

export interface HistoryResult {
  /** Ids of the responses that a backfill of the range would emit, as far as the pages were read. */
  ids: number[];
  /** Where to go on; absent at the end of the list. */
  next?: { page: number; first?: string; before?: string };
}

/** Milliseconds: whoever asked is told how far it has come, and may stop it. */
const LONGEST = 15_000;

/** Reads on over all pages, and tells what a backfill would emit. Nothing is changed. */
export const history: Operation<z.infer<typeof inputSchema>, HistoryResult> = {
  input: inputSchema,
  async run(context, { surveyId, range, page: from, first: knownFirst, before: knownBefore, hasBooks }) {
    const ports = context.graph.begin(context.abortsAt);
    const account = await readySource(context, surveyId, ports);
    const until = Math.min(context.deadline, ports.clock.now() + LONGEST);
    const plain = judgementOf(account, hasBooks, ports.clock.now());
    const asking = { ...plain, backfill: range };
    const ids = new Set<number>();
    let [first, before] = [knownFirst, knownBefore];
    let wasShort = false;
    for (let page = from; ; page += AT_ONCE) {
      const looks = await lookAtPages(
        ports,
        surveyId,
        Array.from({ length: AT_ONCE }, (_, i) => page + i),
      );
      for (const look of looks) {
        // Behind its end, where that was to be expected, some services fail.
        if ("error" in look && !wasShort) throw look.error;
        const one = "error" in look ? undefined : look.page;
        // Else a list shows nothing there, or what it has shown.
        const isEnd = one === undefined || one.signature === before || (one.number > 1 && one.signature === first);
        if (isEnd) return { ids: [...ids] };
        wasShort = one.size < PAGE_SIZE;
        const entries = await entriesOf(ports, surveyId, one.runs);
        for (const run of one.runs) {
          const entry = entries.get(run.responseId);
          if (decide(run, entry, asking) === "emit" && decide(run, entry, plain) !== "emit") ids.add(run.responseId);
        }
        if (one.number === 1) first = one.signature;
        before = one.signature;
      }
      if (ports.clock.now() > until) {
        const signatures = { ...(first === undefined ? {} : { first }), ...(before === undefined ? {} : { before }) };
        return { ids: [...ids], next: { page: page + AT_ONCE, ...signatures } };
      }
    }
  },
};
