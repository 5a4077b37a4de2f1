import type { PollContext } from "../context.ts";
import type { Replaced } from "../ledger/changes.ts";
import { noteHeld } from "../ledger/held.ts";
import { readRecord } from "../model/records.ts";
import { type Comparison, compareAnswers, hashesOf } from "./compare-answers.ts";
import { ask, countWhole, digestBySingle, isTrusted, learn, mayAnswer, toldOf, withFacts } from "./operation9.ts";
import { noteSuspects } from "./suspects.ts";

/**
 * The reason why the records of a response are all of it, where records stand together (R4, R6). Both pages: it was joined across a proved seam. Kept: it was proved
 * before, and has waited since.
 */
export type Proof = "its page" | "both pages" | "operation 9" | "kept" | "nothing";

/** A response as it was read. */
export interface Met {
  responseId: number;
  /** The records as they were read. */
  records: unknown[];
  /** Of what was read; undefined where nobody knows how pages list it. */
  digest: string | undefined;
  proof: Proof;
  /** The event that is to be replaced, where there is one. Then it is not held where it cannot be proved. */
  replaces?: Replaced | undefined;
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
  const isKnown = ({ proof }: Met): boolean => proof === "operation 9" || proof === "kept";
  const known = all.filter(isKnown);
  const { contents } = ctx.mark;
  let byPages: T[] = [];
  let rest = all.filter((response) => !isKnown(response));
  if (contents.apart === undefined) {
    byPages = await compared(
      ctx,
      rest.filter(({ proof }) => proof !== "nothing"),
    );
    for (const by of ["its page", "both pages"] as const) {
      const some = byPages.filter(({ proof }) => proof === by);
      if (some.length > 0) tell(ctx, by, idsOf(some));
    }
    rest = rest.filter(({ proof }) => proof === "nothing");
  } else if (!isTrusted(ctx.mark) && mayAnswer(ctx.mark, ctx.ports.clock.now())) {
    // Whole responses to compare with are to be had only by a walk over all pages.
    noteSuspects(contents, await toldOf(ctx, idsOf(rest.toSorted((a, b) => b.records.length - a.records.length))));
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
  // fault: unproved-goes-out
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
  const { responseId, records, replaces } = response;
  const comparison = compareAnswers(records, answer);
  // Of one that has lost records only an answer that equals what was read proves that these are all.
  const isFewer = records.length < (replaces?.entry.count ?? 0);
  if (comparison !== "equal" && (comparison !== "more" || isFewer)) return undefined;
  const bySingle = digestBySingle(ctx, { responseId, records: answer.map((record) => readRecord(record)) });
  // Where the pages equal the answer they have all of it. One page may still have shown it as open.
  const digest = bySingle ?? (comparison === "equal" ? response.digest : undefined);
  return { ...response, records: withFacts(ctx.mark.contents, records, answer), digest };
}
