import { errorCode } from "../../errors.ts";
import { isObject } from "../../events/build/fields.ts";
import type { PollContext } from "../context.ts";
import { endsWork } from "../errors.ts";
import type { Contents, Mark } from "../model/mark.ts";
import { privateRecord } from "../model/privacy.ts";
import { digestOf, type Run } from "../model/records.ts";
import { type Comparison, compareAnswers, factsOf, sameFacts } from "./compare-answers.ts";

// Operation 9 gives one response by its id. What it gives is used only for a survey where it was compared with whole responses (R11).

/** The first ones of a survey, the first ones of more than one record, and then one in so many are compared. */
const FIRST = 20;
const ONE_IN = 200;
/** Answers in a row that say nothing, and the milliseconds for which operation 9 is not asked then. */
const MOST_SILENT = 3;
const SILENCE = 24 * 3_600_000;
/** The same where contents depend on it, as records lie apart: a moment of silence is not to hold responses for a day. */
export const PAUSE = 1_800_000;

/** Whether contents of operation 9 are used: it has equalled a response of several records, or of one where there are no others. */
export function isTrusted({ contents }: Pick<Mark, "contents">): boolean {
  const { answers, severalSeen } = contents;
  // fault: one-record-makes-trust
  return answers === "several" || (answers === "one" && severalSeen !== true);
}

/** Whether it is of use to ask it at `now` (epoch milliseconds). */
export function mayAnswer({ contents }: Pick<Mark, "contents">, now: number): boolean {
  return now >= (contents.silentUntil ?? 0);
}

/** The records of operation 9, fit to leave the process; undefined where it gives none. */
export async function ask(ctx: PollContext, responseId: number): Promise<unknown[] | undefined> {
  const records = await answerOf(ctx, responseId);
  return records?.length === 0 ? undefined : records;
}

/** The same; none where it has no such response, and undefined where it fails. */
export async function answerOf(ctx: PollContext, responseId: number): Promise<unknown[] | undefined> {
  try {
    const read = await ctx.ports.service.response(ctx.surveyId, responseId);
    if (read.kind === "absent") return [];
    return read.body.map((record) => privateRecord(record, ctx.source.privacy));
  } catch (error) {
    if (endsWork(error)) throw error;
    ctx.ports.observe({ kind: "unconfirmed", surveyId: ctx.surveyId, code: errorCode(error) });
    return undefined;
  }
}

/** The digest of a response as pages would list it, made of records of operation 9. Undefined where these tell less than pages do. */
export function digestBySingle({ mark, source }: PollContext, run: Run): string | undefined {
  return mark.contents.full !== true || source.privacy.comments === "drop" ? undefined : digestOf(run);
}

/** The first ones of some responses of which operation 9 gives anything now. */
export async function toldOf(ctx: PollContext, responseIds: number[]): Promise<number[]> {
  const some = responseIds.slice(0, FIRST);
  const answers = await Promise.all(some.map((responseId) => ask(ctx, responseId)));
  const told = some.filter((_, i) => answers[i] !== undefined);
  if (told.length === 0 && some.length >= MOST_SILENT) leaveAlone(ctx.mark.contents, ctx.ports.clock.now(), PAUSE);
  return told;
}

/** Counts a whole response of so many records: whether it is one of those that are compared. */
export function countWhole(contents: Contents, records: number): boolean {
  contents.since += 1;
  const isSeveral = records > 1;
  const isFew = contents.compared < FIRST || (isSeveral && contents.several < FIRST);
  if (!isFew && contents.since < ONE_IN) return false;
  contents.compared += 1;
  if (isSeveral) contents.several += 1;
  contents.since = 0;
  return true;
}

/** Something contradicts that records stand together: the next ones are compared as the first ones were. */
export function compareAnew(contents: Contents): void {
  Object.assign(contents, { compared: 0, several: 0 });
}

/** Learns what operation 9 is worth from its answer for a whole response; `now`: epoch milliseconds. */
export function learn(contents: Contents, listed: unknown[], single: unknown[] | undefined, now: number): Comparison {
  const comparison = single === undefined ? "different" : compareAnswers(listed, single);
  if (comparison === "different") {
    contents.silent += 1;
    if (contents.silent >= MOST_SILENT) leaveAlone(contents, now);
    return comparison;
  }
  contents.silent = 0;
  if (comparison === "fewer") contents.answers = "fewer";
  if (comparison === "equal" && single !== undefined) {
    if (listed.length > 1) contents.answers = "several";
    else contents.answers ??= "one";
    contents.full = sameFacts(listed, single);
  }
  return comparison;
}

/** Records of a response lie apart: from now on contents depend on operation 9, which may have been left alone while they did not. */
export function noteApart(contents: Contents): void {
  if (contents.apart === undefined) delete contents.silentUntil;
  contents.apart = 0;
}

/** Does not ask operation 9 for a day, or for so many milliseconds; then it is compared as at first. */
export function leaveAlone(contents: Contents, now: number, pause = SILENCE): void {
  Object.assign(contents, { silentUntil: now + pause, silent: 0 });
  compareAnew(contents);
}

/** Records of operation 9; what it does not tell of the response as a whole is taken from a record of the list. */
export function withFacts({ full }: Contents, listed: unknown[], single: unknown[]): unknown[] {
  const [first] = listed;
  if (full === true || first === undefined) return single;
  return single.map((record) => (isObject(record) ? { ...factsOf(first), ...record } : record));
}
