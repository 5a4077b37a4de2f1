import type { PollContext } from "../context.ts";
import { noteHeld } from "../ledger/held.ts";
import { type Comparison, compareAnswers, hashesOf } from "./compare-answers.ts";
import {
  ask,
  countWhole,
  digestBySingle,
  isTrusted,
  learn,
  mayAnswer,
  noteApart,
  toldOf,
  withFacts,
} from "./operation9.ts";
import { noteSuspects } from "./suspects.ts";

/** A response as a walk has read it. */
export interface Met {
  responseId: number;
  /** The records as they were read. */
  records: unknown[];
  /** Of what was read; undefined where nobody knows how pages list it. */
  digest: string | undefined;
  /** Whether that is all of it, where the records of a response stand together (R4, R6). */
  isWhole: boolean;
  /** Whether one page has shown it in two places. */
  isApart: boolean;
  /** Whether it was joined from two pages that stood beside each other. */
  isAcross: boolean;
  /** Whether it was proved before. */
  isProved: boolean;
  /** Whether it had more records before: only an answer that equals what was read proves that these are all. */
  isFewer?: boolean;
  /** Set where it is to replace an event: it is not held where that cannot be proved. */
  replaces?: unknown;
}

/** The responses whose contents are proved, and the ids of those that are held, which counts as dealt with. All others are left to the next poll. */
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
  if (responses.some(({ isApart }) => isApart)) noteApart(contents);
  let byPages: T[] = [];
  let rest = responses;
  if (contents.apart === undefined) {
    byPages = await compared(
      ctx,
      responses.filter(({ isWhole }) => isWhole),
    );
    const by = Map.groupBy(byPages, ({ isAcross }) => (isAcross ? "both pages" : "its page"));
    for (const [proof, some] of by) tell(ctx, proof, idsOf(some));
    rest = responses.filter(({ isWhole }) => !isWhole);
  } else if (!isTrusted(ctx.mark) && mayAnswer(ctx.mark, ctx.ports.clock.now())) {
    // Whole responses to compare with are to be had only by a walk over all pages.
    noteSuspects(contents, await toldOf(ctx, idsOf(responses.toSorted((a, b) => b.records.length - a.records.length))));
  }
  // A walk over all pages has still to tell how records stand.
  const isOpen = contents.suspects !== undefined && (contents.apart === undefined || !isTrusted(ctx.mark));
  if (isOpen) return { proved: [...known, ...byPages], held: [] };
  const answers = await Promise.all(rest.map((response) => byOperation9(ctx, response)));
  const given = answers.filter((one) => one !== undefined);
  if (given.length > 0) tell(ctx, "operation 9", idsOf(given));
  const unproved = rest
    .filter(({ replaces }, i) => replaces === undefined && answers[i] === undefined)
    .map(({ responseId, records }) => ({ responseId, shown: hashesOf(records) }));
  return { proved: [...known, ...byPages, ...given], held: await noteHeld(ctx, unproved) };
}

function tell(ctx: PollContext, by: "its page" | "both pages" | "operation 9", responseIds: number[]): void {
  ctx.ports.observe({ kind: "proved", surveyId: ctx.surveyId, by, responseIds });
}

/** The whole ones that may go out: all, unless operation 9 has more records of one than the pages show together. */
async function compared<T extends Met>(ctx: PollContext, whole: T[]): Promise<T[]> {
  const { contents } = ctx.mark;
  const now = ctx.ports.clock.now();
  const { suspects = [] } = contents;
  const isDue = (one: T): boolean => countWhole(contents, one.records.length) || suspects.includes(one.responseId);
  const due = mayAnswer(ctx.mark, now) ? whole.filter(isDue) : [];
  const answers = await Promise.all(due.map(({ responseId }) => ask(ctx, responseId)));
  const comparisons = due.map(({ records }, i) => learn(contents, records, answers[i], now));
  const those = (kind: Comparison): T[] => due.filter((_, i) => comparisons[i] === kind);
  // A response of which it had more has only grown since its page was read.
  noteSuspects(contents, idsOf(those("more")), idsOf(those("equal")));
  return contents.suspects === undefined ? whole : those("equal");
}

const idsOf = (responses: readonly Met[]): number[] => responses.map(({ responseId }) => responseId);

async function byOperation9<T extends Met>(ctx: PollContext, response: T): Promise<T | undefined> {
  const answer = isTrusted(ctx.mark) ? await ask(ctx, response.responseId) : undefined;
  if (answer === undefined) return undefined;
  const comparison = compareAnswers(response.records, answer);
  if (comparison !== "equal" && (comparison !== "more" || response.isFewer === true)) return undefined;
  const { responseId, records } = response;
  // Where the pages equal the answer they have all of it.
  const digest = comparison === "equal" ? response.digest : digestBySingle(ctx, responseId, answer);
  return { ...response, records: withFacts(ctx.mark.contents, records, answer), digest };
}
