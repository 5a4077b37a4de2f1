import type { PollContext } from "../context.ts";
import { noteHeld, type Unproved } from "../ledger/held.ts";
import { compareAnswers, hashesOf } from "./compare-answers.ts";
import { ask, countWhole, isTrusted, learn, mayAnswer, withFacts } from "./operation9.ts";
import { noteSuspects } from "./suspects.ts";

/** A response as a walk has read it. */
export interface Met {
  responseId: number;
  /** What was read of it. */
  records: unknown[];
  /** Whether that is all of it, where the records of a response stand together (R4, R6). */
  isWhole: boolean;
  /** Whether one page has shown it in two places. */
  isApart: boolean;
  /** Whether it was joined from two pages that stood beside each other. */
  isAcross: boolean;
  /** Whether it was proved before. */
  isProved: boolean;
  /** Set where it is to replace an event: it is not held where that cannot be proved. */
  replaces?: unknown;
}

/** Those whose contents are proved; ids of those that are held, which counts as dealt with. All others are left to the next poll. */
export interface Proofs<T> {
  proved: T[];
  held: number[];
}

/**
 * Proves the contents of responses: by their page or by both pages beside an edge, which the walk has done, or by operation 9.
 *
 * | | records stand together | records lie apart (R12) |
 * |---|---|---|
 * | whole | goes out; the first ones and some of the others are compared with operation 9 | operation 9 |
 * | cut by an edge | operation 9 | operation 9 |
 *
 * Operation 9 proves a response where it is trusted and its answer includes what was read.
 */
export async function prove<T extends Met>(ctx: PollContext, all: T[]): Promise<Proofs<T>> {
  const known = all.filter(({ isProved }) => isProved);
  const responses = all.filter(({ isProved }) => !isProved);
  const { contents } = ctx.mark;
  if (responses.some(({ isApart }) => isApart)) contents.apart = 0;
  let byPages: T[] = [];
  let rest = responses;
  if (contents.apart === undefined) {
    byPages = await compared(
      ctx,
      responses.filter(({ isWhole }) => isWhole),
    );
    for (const by of new Set(byPages.map(({ isAcross }) => (isAcross ? "both pages" : "its page")))) tell(ctx, by);
    if (isUndecided(ctx)) return { proved: [...known, ...byPages], held: [] };
    rest = responses.filter(({ isWhole }) => !isWhole);
  } else if (!isTrusted(ctx.mark) && mayAnswer(ctx.mark, ctx.ports.clock.now())) {
    // Whole ones, with which it could be compared, are to be had only by a walk over all pages.
    noteSuspects(contents, responses);
    return { proved: known, held: [] };
  }
  const answers = await Promise.all(rest.map((response) => byOperation9(ctx, response)));
  const given = answers.filter((one) => one !== undefined);
  if (given.length > 0) tell(ctx, "operation 9");
  const unproved = rest.filter(({ replaces }, i) => replaces === undefined && answers[i] === undefined);
  return { proved: [...known, ...byPages, ...given], held: await noteHeld(ctx, unproved.map(shownOf)) };
}

function shownOf({ responseId, records }: Met): Unproved {
  return { responseId, shown: hashesOf(records) };
}

function tell({ ports, surveyId }: PollContext, by: "its page" | "both pages" | "operation 9"): void {
  ports.observe({ kind: "proved", surveyId, by });
}

/** Whether a walk over all pages has still to tell how the records of some responses stand. */
function isUndecided({ mark }: Pick<PollContext, "mark">): boolean {
  return (mark.contents.suspects ?? []).length > 0;
}

/** The whole ones that may go out: all, unless operation 9 has more records of one than the pages show together. */
async function compared<T extends Met>(ctx: PollContext, whole: T[]): Promise<T[]> {
  const { contents } = ctx.mark;
  const now = ctx.ports.clock.now();
  const due = mayAnswer(ctx.mark, now) ? whole.filter(({ records }) => countWhole(contents, records.length)) : [];
  const answers = await Promise.all(due.map(({ responseId }) => ask(ctx, responseId)));
  const comparisons = due.map(({ records }, i) => learn(contents, records, answers[i], now));
  noteSuspects(
    contents,
    due.filter((_, i) => comparisons[i] === "more"),
  );
  return isUndecided(ctx) ? due.filter((_, i) => comparisons[i] === "equal") : whole;
}

async function byOperation9<T extends Met>(ctx: PollContext, response: T): Promise<T | undefined> {
  if (!isTrusted(ctx.mark)) return undefined;
  const answer = await ask(ctx, response.responseId);
  if (answer === undefined) return undefined;
  const comparison = compareAnswers(response.records, answer);
  if (comparison !== "equal" && comparison !== "more") return undefined;
  return { ...response, records: withFacts(ctx.mark.contents, response.records, answer), digest: undefined };
}
