import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { Contents } from "../model/mark.ts";
import { privateRecord } from "../model/privacy.ts";
import type { ReadRecord, Run } from "../model/records.ts";
import type { Order, PageRead } from "../ports.ts";
import { walk } from "../walk/walk.ts";
import type { Comparison } from "./compare-answers.ts";
import { ask, isTrusted, learn, leaveAlone, mayAnswer } from "./operation9.ts";

// Operation 9 has more records of a response than the pages show together. Either its records lie apart, or operation 9 lists what
// the pages never do. A walk over all pages tells which (R12).

const MOST_SUSPECTS = 3;
/** Walks made in vain, after which operation 9 is left alone; and for how long where none came to its end over a list that held still (milliseconds). */
const MOST_SEARCHES = 3;
const RESTLESS = 3_600_000;

/** Notes responses whose records may lie apart. */
export function noteSuspects(contents: Contents, responses: readonly { responseId: number }[]): void {
  if (responses.length === 0) return;
  const ids = responses.map(({ responseId }) => responseId);
  contents.suspects = [...new Set([...(contents.suspects ?? []), ...ids])].slice(0, MOST_SUSPECTS);
}

/**
 * Joins the suspects over all pages, and decides whether records lie apart. Until then nothing that operation 9 has not equalled goes out. Gives
 * them, joined, where they do.
 *
 * | the walk | what is met of a suspect | records | operation 9 |
 * |---|---|---|---|
 * | came to the end, over a list that held still | in one place | stand together | as the comparison says; with more than that it is wrong |
 * | so too | in several places | lie apart | as the comparison says |
 * | did not, three times | anything | taken to lie apart until two full passes show otherwise | is left alone for an hour |
 */
export async function decideSuspects(ctx: PollContext): Promise<Run[]> {
  const { contents } = ctx.mark;
  const { suspects = [] } = contents;
  if (suspects.length === 0) return [];
  contents.searches = (contents.searches ?? 0) + 1;
  // Before the walk: one that each invocation is too short for must come to its end too.
  await ctx.ports.state.saveMark(ctx.lease, ctx.mark);
  const { joined, isComplete } = await joinOverAllPages(ctx, suspects);
  const now = ctx.ports.clock.now();
  if (!isComplete) {
    if (contents.searches >= MOST_SEARCHES) giveUp(contents, now);
    return [];
  }
  const found = [...joined].filter(([, { records }]) => records.length > 0);
  const answers = await Promise.all(found.map(([responseId]) => ask(ctx, responseId)));
  const listed = found.map(([, { records }]) => records.map(({ raw }) => privateRecord(raw, ctx.source.privacy)));
  decide(ctx, found, (i) => learn(contents, listed[i] ?? [], answers[i], now));
  delete contents.suspects;
  if (isTrusted(ctx.mark) || !mayAnswer(ctx.mark, now)) delete contents.searches;
  return contents.apart === undefined ? [] : found.map(([responseId, { records }]) => ({ responseId, records }));
}

/** Nobody can tell: nothing goes out by its pages, until two full passes have met each response in one place. */
function giveUp(contents: Contents, now: number): void {
  contents.apart = 0;
  delete contents.answers;
  delete contents.suspects;
  delete contents.searches;
  leaveAlone(contents, now, RESTLESS);
}

/** Decides by what a walk over all pages has met of each suspect. */
function decide(
  { mark, ports }: PollContext,
  found: readonly [number, Joined][],
  comparisonOf: (i: number) => Comparison,
): void {
  const { contents } = mark;
  if (found.some(([, { places }]) => places > 1)) contents.apart = 0;
  const comparisons = found.map((_, i) => comparisonOf(i));
  // The pages have no more of them: operation 9 is of another opinion about what a response is.
  const isWrong = comparisons.includes("more");
  if (isWrong) delete contents.answers;
  const isUseless = contents.apart !== undefined && !isTrusted(mark) && (contents.searches ?? 0) >= MOST_SEARCHES;
  if (isWrong || isUseless) leaveAlone(contents, ports.clock.now());
}

/** What a walk over all pages has met of a response. */
interface Joined {
  records: ReadRecord[];
  places: number;
}

/** Complete where it came to the end of a list that held still. */
async function joinOverAllPages(
  ctx: PollContext,
  suspects: number[],
): Promise<{ joined: Map<number, Joined>; isComplete: boolean }> {
  const joined = new Map<number, Joined>(suspects.map((id) => [id, { records: [], places: 0 }]));
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
    for (const { responseId, records, apart } of next.value.pieces) {
      const own = joined.get(responseId);
      if (own === undefined) continue;
      own.records.push(...records);
      own.places += apart ? 2 : 1;
    }
    if (!next.done) continue;
    const { kind, covered, moved } = next.value;
    return { joined, isComplete: kind === "end" && covered && !moved };
  }
}
