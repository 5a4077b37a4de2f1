import type { SurveyRow } from "../model/account.ts";
import type { BackgroundKind } from "../survey/background.ts";
import type { PollResult } from "../survey/poll-survey.ts";
import type { ListedSurvey } from "./survey-list.ts";
import { fullTrust, nextTrust } from "./trust.ts";
import { grownBy, nextUnmet, noneUnmet } from "./unmet.ts";

type Polled = Extract<PollResult, { kind: "polled" }>;

/** Milliseconds from a list to the poll of a survey. Few responses complete in less time. */
const LATE = 10_000;

/**
 * Responses that a poll has met before any list had shown them, and that are not missing once one does. They may have completed after the list before was read, at
 * `listedAt`, and before its survey was polled. Otherwise a response that no count ever shows would hide another one.
 */
function metBefore(row: SurveyRow | undefined, listedAt: number | undefined): number {
  if (row === undefined || listedAt === undefined) return 0;
  return row.polledAt - listedAt >= LATE ? row.trust.unseen : 0;
}

/**
 * The row of a survey after its poll: counts come last, once all that was seen is in the state. `slow`: the kind of background work, where it was polled for that
 * alone. `tickAt` and `listedAt`: epoch milliseconds at which this tick and the one before read their lists.
 */
export function nextRow(
  survey: ListedSurvey,
  row: SurveyRow | undefined,
  result: Polled,
  at: { now: number; slow: BackgroundKind | undefined; tickAt?: number; listedAt?: number | undefined },
): SurveyRow {
  const { now, slow, tickAt = now, listedAt } = at;
  const { counts, slowDue, headRead, sought, foundBelow, missing, resumed } = result;
  // The index may not show yet what the last poll has just made wait.
  const isAwaited = row?.dueAt !== undefined && (row.dueAt > now || row.polledAt >= tickAt);
  const awaited = isAwaited ? row.dueAt : undefined;
  const dueAt = awaited === undefined ? result.dueAt : Math.min(awaited, result.dueAt ?? awaited);
  const found = counts.found + counts.repaired;
  const activeAt = found > 0 || row === undefined ? now : row.activeAt;
  const booksAt = result.books?.closedAt;
  const common = {
    slowAt: slowDue.rest.at,
    slowEvery: slowDue.rest.every,
    passAt: slowDue.pass.at,
    ...(booksAt === undefined ? {} : { booksAt }),
    ...(result.known === undefined ? {} : { known: result.known }),
    workedAt: slow === undefined ? (row?.workedAt ?? now) : now,
    passedAt: slow === "pass" ? now : (row?.passedAt ?? now),
    restedAt: slow === "rest" ? now : (row?.restedAt ?? now),
    activeAt,
    ...(result.isBehind ? { isBehind: true as const } : {}),
    ...(dueAt === undefined ? {} : { dueAt }),
  };
  const poll = { now, found: counts.found, complete: counts.complete, headRead, resumed, sought, foundBelow, missing };
  if (headRead || row === undefined) {
    const grown = grownBy(survey.counts, row);
    // By the list of this very tick the survey may have been polled already.
    const isNewList = row === undefined || row.polledAt < tickAt;
    const shown = { grown, found: resumed ? 0 : counts.found, missing: row?.unmet.missing, isNewList };
    const trust = row === undefined ? fullTrust : nextTrust(row.trust, shown);
    const notMet = Math.max(0, grown - metBefore(row, listedAt));
    return { ...common, counts: survey.counts, polledAt: now, unmet: nextUnmet(notMet, row, poll), trust };
  }
  const { unmet } = row;
  const rest = { ...common, counts: row.counts, polledAt: row.polledAt, trust: row.trust };
  if (unmet.seeking || missing > 0) return { ...rest, unmet: nextUnmet(0, row, poll) };
  const left = Math.max(0, unmet.missing - counts.found);
  return {
    ...rest,
    unmet: left === 0 ? { ...noneUnmet, restUntil: unmet.restUntil, deep: unmet.deep } : { ...unmet, missing: left },
  };
}
