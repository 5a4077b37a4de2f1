import { errorCode } from "../../errors.ts";
import type { PollContext } from "../context.ts";
import { concernsWholeSource } from "../errors.ts";
import { holdLease } from "../lease.ts";
import { noteHeld } from "../ledger/held.ts";
import { isObject } from "../model/irregular.ts";
import { privateRecord } from "../model/privacy.ts";
import type { Order } from "../ports.ts";
import { mayBePastEnd } from "../walk/failing-end.ts";
import { createOtherOrder } from "../walk/other-order.ts";
import { createPageComparison } from "../walk/page-comparison.ts";
import { isFull, type Page, toPage } from "../walk/pages.ts";
import { type Comparison, compareAnswers, factsOf, sameFacts } from "./compare-answers.ts";

/** A response as pages joined it. */
export interface Joined {
  responseId: number;
  records: unknown[];
}

/** The first ones of a survey, the first ones of more than one record, and then one in so many are compared with operation 9. */
const FIRST = 20;
const ONE_IN = 200;
/** After so many answers that could not be compared, operation 9 is not asked for this survey any more. */
export const MOST_SILENT = 3;
/** Responses joined over a whole pass when pages and operation 9 disagree, and the pages that such a pass reads at most. */
const WITNESSES = 3;
const MOST_PAGES = 1_000;
/** Such a pass reads every page: once an hour is enough. */
const TRY_AGAIN = 3_600_000;

/**
 * Confirms joined responses by operation 9, because nothing says that the records of a response stand together.
 * Where they turn out to lie apart, every response is confirmed, and takes its contents from operation 9, once that has
 * equalled a response joined from pages. Gives those that may go out; the others are left for a later scan.
 */
export async function confirm<T extends Joined>(ctx: PollContext, responses: T[]): Promise<T[]> {
  const confirmed = await mayGoOut(ctx, responses);
  // A full pass notes by itself what it meets, and when.
  if (confirmed.length === responses.length || ctx.mark.pass !== undefined) return confirmed;
  const out = new Set(confirmed.map(({ responseId }) => responseId));
  const held = responses.map(({ responseId }) => responseId).filter((id) => !out.has(id));
  await noteHeld(ctx, held);
  return confirmed;
}

async function mayGoOut<T extends Joined>(ctx: PollContext, responses: T[]): Promise<T[]> {
  const state = ctx.mark.confirmation;
  if (responses.length === 0) return [];
  if (!state.apart) {
    const due = chooseDue(ctx, responses);
    const answers = await Promise.all(due.map((response) => ask(ctx, response)));
    await learnVolatile(ctx, due, answers);
    const larger = due.filter((response, i) => note(ctx, response.records, answers[i]) === "more");
    if (larger.length > 0) {
      await findOut(ctx, larger.slice(0, WITNESSES)).catch((error: unknown) => {
        // What was seen is to be seen again: the next ones are compared as the first ones were.
        state.made = 0;
        delete state.several;
        state.since = ONE_IN;
        throw error;
      });
    }
  }
  // What is known of it now is known for all of them: those that were not compared are of the same list.
  if (!state.apart) return isUnproved(ctx) ? [] : responses;
  return fromOperation9(ctx, responses);
}

/**
 * Whether nothing can tell a whole response from a part of one: operation 9 says nothing that can be compared, or its
 * contents cannot be used, and no full pass has shown that records stand together. Then a full pass joins them.
 */
export function isUnproved({ mark }: Pick<PollContext, "mark">): boolean {
  const { apart, silent } = mark.confirmation;
  return apart ? !isTrusted({ mark }) : mark.contiguous !== true && silent >= MOST_SILENT;
}

/**
 * Whether contents of operation 9 are used: it has equalled a response of several records, or one of a single record where
 * there are no others. It may list one record of each response, and that it equalled one of a single record shows nothing then.
 */
export function isTrusted({ mark }: Pick<PollContext, "mark">): boolean {
  const { equalled, apart } = mark.confirmation;
  return equalled === "several" || (equalled === "one" && mark.severalSeen !== true && !apart);
}

/** What may go out of a survey whose records lie apart. */
async function fromOperation9<T extends Joined>(ctx: PollContext, responses: T[]): Promise<T[]> {
  const state = ctx.mark.confirmation;
  const now = ctx.ports.clock.now();
  // What says nothing is not asked about everything at every tick: a full pass joins them.
  const isSilent = !isTrusted(ctx) && state.silent >= MOST_SILENT;
  if (isSilent && now < (state.triedAt ?? 0) + TRY_AGAIN) return [];
  const asked = responses.slice(0, isSilent ? WITNESSES : responses.length);
  const read = await Promise.all(asked.map((response) => ask(ctx, response)));
  await learnVolatile(ctx, asked, read);
  const answers = asked.map((response, i) => {
    const { [i]: records } = read;
    const comparison = records === undefined ? "different" : compareAnswers(response.records, records, ctx.volatile);
    return { response, records: records ?? [], comparison };
  });
  const comparable = answers.filter(({ comparison }) => comparison !== "different");
  if (!isTrusted(ctx) && comparable.length === 0) {
    state.silent += answers.length;
    if (state.silent >= MOST_SILENT) state.triedAt = now;
  }
  if (!isTrusted(ctx) && comparable.length > 0 && now >= (state.triedAt ?? 0) + TRY_AGAIN) {
    await findOut(
      ctx,
      comparable.slice(0, WITNESSES).map(({ response }) => response),
    );
  }
  if (!isTrusted(ctx)) return [];
  return comparable.flatMap(({ response, records, comparison }) => {
    if (comparison === "equal") return [response];
    // Without what the other records say of the response as a whole, only a full pass can join it.
    // That it says them was true of another response, or a moment ago.
    return state.full === true && sameFacts(response.records, records, ctx.volatile)
      ? [{ ...response, records, digest: undefined }]
      : [];
  });
}

/**
 * Where operation 9 answers with something else than pages did, it is asked about one of these again: what reads differently each time does so
 * there as well. In a list without a response across an edge nothing else may have told so far.
 */
async function learnVolatile(ctx: PollContext, joined: Joined[], answers: (unknown[] | undefined)[]): Promise<void> {
  const toAnswer = (records: unknown[]): Page | undefined => toPage(0, { kind: "page", records }, ctx.volatile);
  for (const [i, response] of joined.entries()) {
    const records = answers[i];
    if (records === undefined || compareAnswers(response.records, records, ctx.volatile) !== "different") continue;
    const answer = toAnswer(records);
    if (answer === undefined) continue;
    const { isStill } = createPageComparison(ctx.volatile, () => undefined);
    await isStill(answer, async () => toAnswer((await ask(ctx, response)) ?? []));
    return;
  }
}

/** Records of operation 9; where these tell of the answers only, with what any record of the list says of the response. */
export function withFacts(ctx: PollContext, listed: unknown[], single: unknown[]): unknown[] {
  const [first] = listed;
  if (ctx.mark.confirmation.full === true || first === undefined) return single;
  return single.map((record) => (isObject(record) ? { ...factsOf(first), ...record } : record));
}

function chooseDue<T extends Joined>(ctx: PollContext, responses: T[]): T[] {
  const state = ctx.mark.confirmation;
  if (state.silent >= MOST_SILENT) return [];
  const due: T[] = [];
  for (const response of responses) {
    state.since += 1;
    const isSeveral = response.records.length > 1;
    // Open ones are looked at again by operation 9: it is to be known whether what it says can be used.
    const tells = isSeveral || ctx.mark.severalSeen !== true;
    const isUnknown = tells && !isTrusted(ctx) && ctx.mark.openSeen === true;
    const isFew = state.made < FIRST || (isSeveral && (state.several ?? 0) < FIRST);
    const first = isFew && (ctx.mark.contiguous !== true || (isUnknown && due.length === 0));
    if (!first && state.since < ONE_IN) continue;
    state.made += 1;
    if (isSeveral) state.several = (state.several ?? 0) + 1;
    state.since = 0;
    due.push(response);
  }
  return due;
}

function note({ mark, volatile }: PollContext, joined: unknown[], records: unknown[] | undefined): Comparison {
  const state = mark.confirmation;
  const comparison = records === undefined ? "different" : compareAnswers(joined, records, volatile);
  if (comparison === "different") state.silent += 1;
  // It does not list all that there is.
  if (records !== undefined && records.length < joined.length) {
    delete state.equalled;
    state.partial =
      records.length > 0 &&
      compareAnswers(records, joined, volatile) === "more" &&
      sameFacts(records, joined, volatile);
  }
  if (comparison === "equal" && records !== undefined) {
    state.equalled = joined.length > 1 ? "several" : (state.equalled ?? "one");
    state.full = sameFacts(joined, records, volatile);
    state.silent = 0;
  }
  return comparison;
}

/** The records of operation 9, fit to leave the process; undefined when it says nothing that can be compared. */
export async function ask(
  ctx: PollContext,
  { responseId }: Pick<Joined, "responseId">,
): Promise<unknown[] | undefined> {
  try {
    const read = await ctx.ports.service.response(ctx.surveyId, responseId);
    if (read.kind === "absent") return undefined;
    return read.body.map((record) => privateRecord(record, ctx.source.privacy));
  } catch (error) {
    if (concernsWholeSource(error)) throw error;
    ctx.ports.observe({ kind: "unconfirmed", surveyId: ctx.surveyId, code: errorCode(error) });
    return undefined;
  }
}

/**
 * Operation 9 lists more than was joined: either the records lie apart, or it lists what pages never do. A few
 * responses are joined over one pass of all pages to find out.
 */
async function findOut(ctx: PollContext, witnesses: Joined[]): Promise<void> {
  const state = ctx.mark.confirmation;
  state.triedAt = ctx.ports.clock.now();
  const joined = await joinOverAllPages(ctx, witnesses);
  let apart = false;
  for (const witness of witnesses) {
    const fromPages = joined.get(witness.responseId) ?? [];
    if (fromPages.length <= witness.records.length) continue;
    apart = true;
    const records = await ask(ctx, witness);
    if (records === undefined || compareAnswers(fromPages, records, ctx.volatile) !== "equal") continue;
    note(ctx, fromPages, records);
  }
  if (apart) state.apart = true;
  // The pages have no more of them: operation 9 is of another opinion about what a response is.
  else if (!state.apart) state.silent = MOST_SILENT;
}

async function joinOverAllPages(ctx: PollContext, witnesses: Joined[]): Promise<Map<number, unknown[]>> {
  const joined = new Map<number, unknown[]>(witnesses.map(({ responseId }) => [responseId, []]));
  let shortGoesOn = ctx.shortPageEnds === false;
  const mayGoOn = (page: Page): boolean => isFull(page) || shortGoesOn;
  const { isRepeat, isFollowed, isStill } = createPageComparison(ctx.volatile, () => undefined, mayGoOn);
  const read = async (number: number, order: Order = "asc"): Promise<Page | undefined> => {
    await holdLease(ctx);
    return toPage(number, await ctx.ports.service.page(ctx.surveyId, number, order), ctx.volatile);
  };
  const otherOrder = createOtherOrder({ look: read, isStill, mayGoOn });
  /** Undefined also behind the end, where some services fail. */
  const readOrEnd = (number: number, before: Page | undefined): Promise<Page | undefined> =>
    read(number).catch(async (error: unknown) => {
      const begins = before !== undefined && mayBePastEnd(error) ? await read(1, "desc") : undefined;
      if (before === undefined || begins === undefined || !(await otherOrder.liesNear(begins, before))) throw error;
      return undefined;
    });
  let first: Page | undefined;
  let last: Page | undefined;
  for (let number = 1; number <= MOST_PAGES; number += 1) {
    const page = await readOrEnd(number, last);
    // Past the end some services repeat the last page, or the first one.
    if (page === undefined) break;
    const isRepeated = (await isRepeat(page, last, read)) || (await isRepeat(page, first, read));
    if (isRepeated && !(await isFollowed(page, read))) break;
    shortGoesOn ||= last !== undefined && !isFull(last);
    last = page;
    first ??= page;
    for (const run of page.runs) {
      const records = run.records.map((record) => privateRecord(record.raw, ctx.source.privacy));
      joined.get(run.responseId)?.push(...records);
    }
  }
  return joined;
}
