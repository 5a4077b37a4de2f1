import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { Contents } from "../model/mark.ts";
import { privateRecord } from "../model/privacy.ts";
import type { ReadRecord, Run } from "../model/records.ts";
import type { Order, PageRead } from "../ports.ts";
import { walk } from "../walk/walk.ts";
import { ask, isTrusted, learn, leaveAlone, noteApart, PAUSE } from "./operation9.ts";

// Operation 9 has more records of a response than the pages show together. Either its records lie apart, or operation 9 lists what
// the pages never do. A walk over all pages tells which (R12).

const MOST_SUSPECTS = 3;
/** Walks in a row that came to no end, after which operation 9 is left alone for a while. */
const MOST_SEARCHES = 3;

/** Notes responses whose records may lie apart; `cleared`: those of which operation 9 has no more than the pages. */
export function noteSuspects(contents: Contents, responseIds: number[], cleared: number[] = []): void {
  const all = new Set([...(contents.suspects ?? []), ...responseIds]);
  for (const responseId of cleared) all.delete(responseId);
  if (all.size > 0) contents.suspects = [...all].slice(0, MOST_SUSPECTS);
  else delete contents.suspects;
}

/**
 * Joins the suspects over all pages, and decides whether records lie apart. Until then only what operation 9 has equalled goes out. Gives the joined ones where
 * records lie apart.
 *
 * | the walk | responses are met | records | operation 9 |
 * |---|---|---|---|
 * | came to the end, over a list that held still | in one place | as known; with more than that operation 9 is wrong, and they stand together | as the comparison says |
 * | so too | in several places | lie apart | as the comparison says |
 * | did not, three times | somehow | taken to lie apart until another one, or two full passes, show otherwise | is left alone for a while |
 */
export async function decideSuspects(ctx: PollContext): Promise<Run[]> {
  const { contents } = ctx.mark;
  const { suspects = [] } = contents;
  // fault: apart-undecided
  if (suspects.length === 0) return [];
  contents.searches = (contents.searches ?? 0) + 1;
  // The count is saved before the walk: a walk for which each invocation is too short must come to its end too.
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  const { joined, isComplete, isApart } = await joinOverAllPages(ctx, suspects);
  if (!isComplete && contents.searches < MOST_SEARCHES) return [];
  delete contents.suspects;
  delete contents.searches;
  if (!isComplete) delete contents.answers;
  const found = isComplete ? [...joined].filter(([, records]) => records.length > 0) : [];
  // Where nobody can tell nothing goes out by its pages for now.
  await decide(ctx, found, isApart || !isComplete);
  return contents.apart === undefined ? [] : found.map(([responseId, records]) => ({ responseId, records }));
}

/** Decides by what a walk over all pages has met. */
async function decide(ctx: PollContext, found: readonly [number, ReadRecord[]][], isApart: boolean): Promise<void> {
  const { contents } = ctx.mark;
  const answers = await Promise.all(found.map(([responseId]) => ask(ctx, responseId)));
  const now = ctx.ports.clock.now();
  if (isApart) noteApart(contents);
  const comparisons = found.flatMap(([, records], i) => {
    const listed = records.map(({ raw }) => privateRecord(raw, ctx.source.privacy));
    // Operation 9 has answered a moment ago: its silence now tells nothing.
    return answers[i] === undefined ? [] : [learn(contents, listed, answers[i], now)];
  });
  // The pages have no more of them: operation 9 is of another opinion about what a response is.
  const isWrong = comparisons.includes("more");
  if (isWrong && !isApart) delete contents.apart;
  // fault: wrong-operation-9-is-trusted
  if (isWrong) delete contents.answers;
  if (isWrong || comparisons.includes("fewer")) leaveAlone(contents, now);
  else if (contents.apart !== undefined && !isTrusted(ctx.mark)) leaveAlone(contents, now, PAUSE);
}

/** Complete where it came to the end of a list that held still; apart where it has met a response in several places. */
async function joinOverAllPages(
  ctx: PollContext,
  suspects: number[],
): Promise<{ joined: Map<number, ReadRecord[]>; isComplete: boolean; isApart: boolean }> {
  const joined = new Map<number, ReadRecord[]>(suspects.map((id) => [id, []]));
  let isApart = false;
  const read = async (page: number, order: Order): Promise<PageRead> => {
    await holdLease(ctx);
    return ctx.ports.service.page(ctx.surveyId, page, order);
  };
  const steps = walk({
    from: 1,
    proves: "coverage",
    read: (page) => read(page, "asc"),
    otherFirst: () => read(1, "desc"),
    shortPageEnds: ctx.shortPageEnds,
    judge: async () => undefined,
    isNew: () => true,
    isMet: () => false,
    isTimeUp: () => ctx.ports.clock.now() > ctx.deadline,
  });
  for (;;) {
    const next = await steps.next();
    for (const { responseId, records, repeated, apart } of next.value.pieces) {
      const own = joined.get(responseId);
      isApart ||= apart || (own?.length ?? 0) > 0;
      own?.push(...records, ...repeated);
    }
    if (!next.done) continue;
    const { kind, covered, moved } = next.value;
    return { joined, isComplete: kind === "end" && covered && !moved, isApart };
  }
}
