import { errorCode } from "../errors.ts";
import { holdLease, type PollContext } from "./context.ts";
import { concernsWholeSource } from "./errors.ts";
import { toPage } from "./pages.ts";
import { privateRecord } from "./privacy.ts";
import { compareAnswers, readSingleResponse } from "./single-response.ts";
import type { Confirmation } from "./state-types.ts";

/** A response as pages joined it. */
export interface Joined {
  responseId: number;
  records: unknown[];
}

/** The first ones of a survey, and then one in so many, are compared with operation 9. */
const FIRST = 20;
const ONE_IN = 200;
/** After so many answers that could not be compared, operation 9 is not asked for this survey any more. */
const MOST_SILENT = 3;
/** Responses joined over a whole pass to find out whether operation 9 can be believed. */
const TRUSTED_BY = 3;
/** Such a pass reads every page: once an hour is enough. */
const TRY_AGAIN = 3_600_000;

/**
 * Confirms joined responses by operation 9, because nothing says that the records of a response stand together.
 * Where they turn out to lie apart, every response is confirmed, and takes its contents from operation 9, once that has
 * equalled a response joined from pages. Gives those that may go out; the others are left for a later scan.
 */
export async function confirm<T extends Joined>(ctx: PollContext, responses: T[]): Promise<T[]> {
  const state = ctx.mark.confirmation;
  const whole = new Map<T, unknown[]>();
  if (!state.apart) {
    const due = chooseDue(ctx, responses);
    const answers = await Promise.all(due.map((response) => ask(ctx, response)));
    for (const [i, records] of answers.entries()) {
      const response = due[i];
      if (response === undefined) continue;
      note(state, response, records);
    }
  }
  if (!state.apart) return responses;

  for (const response of responses) {
    const records = await ask(ctx, response);
    if (records === undefined) continue;
    const comparison = compareAnswers(response.records, records);
    if (comparison === "equal") state.trusted = true;
    if (comparison !== "different") whole.set(response, records);
  }
  const now = ctx.ports.clock.now();
  if (!state.trusted && whole.size > 0 && now >= (state.triedAt ?? 0) + TRY_AGAIN) {
    state.triedAt = now;
    await earnTrust(ctx, [...whole.keys()].slice(0, TRUSTED_BY));
  }
  if (!state.trusted) return [];
  return responses.flatMap((response) => {
    const records = whole.get(response);
    return records === undefined ? [] : [{ ...response, records }];
  });
}

function chooseDue<T extends Joined>(ctx: PollContext, responses: T[]): T[] {
  const state = ctx.mark.confirmation;
  if (state.silent >= MOST_SILENT) return [];
  return responses.filter(() => {
    state.since += 1;
    const due = (state.made < FIRST && ctx.mark.contiguous !== true) || state.since >= ONE_IN;
    if (due) {
      state.made += 1;
      state.since = 0;
    }
    return due;
  });
}

function note(state: Confirmation, response: Joined, records: unknown[] | undefined): void {
  const comparison = records === undefined ? "different" : compareAnswers(response.records, records);
  if (comparison === "more") state.apart = true;
  if (comparison === "different") state.silent += 1;
  if (comparison === "equal") {
    state.trusted = true;
    state.silent = 0;
  }
}

/** The records of operation 9; undefined when it says nothing that can be compared. */
async function ask(ctx: PollContext, { responseId }: Joined): Promise<unknown[] | undefined> {
  try {
    const read = await ctx.ports.service.response(ctx.surveyId, responseId);
    if (read.kind === "absent") return undefined;
    const records = readSingleResponse(read.body, responseId);
    return records?.map((record) => privateRecord(record, ctx.source.privacy));
  } catch (error) {
    if (concernsWholeSource(error)) throw error;
    ctx.ports.observe({ kind: "unconfirmed", surveyId: ctx.surveyId, code: errorCode(error) });
    return undefined;
  }
}

/** Joins a few responses over one pass of all pages and compares them with operation 9. */
async function earnTrust(ctx: PollContext, responses: Joined[]): Promise<void> {
  const joined = new Map<number, unknown[]>(responses.map((response) => [response.responseId, []]));
  let previous: string | undefined;
  for (let number = 1; ; number += 1) {
    await holdLease(ctx);
    if (ctx.ports.clock.now() > ctx.deadline) return;
    const page = toPage(number, await ctx.ports.service.page(ctx.surveyId, number, "asc"));
    // Past the end some services repeat the last page.
    if (page === undefined || page.digest === previous) break;
    previous = page.digest;
    for (const run of page.runs) {
      const records = run.records.map((record) => privateRecord(record.raw, ctx.source.privacy));
      joined.get(run.responseId)?.push(...records);
    }
  }
  for (const response of responses) {
    const records = await ask(ctx, response);
    const fromPages = joined.get(response.responseId) ?? [];
    if (records !== undefined && compareAnswers(fromPages, records) === "equal") ctx.mark.confirmation.trusted = true;
  }
}
