import pLimit from "p-limit";
import { credible } from "../../events/build/date-string.ts";
import { localString } from "../../events/build/local-time.ts";
import { endsWork } from "../errors.ts";
import type { AccountState } from "../model/account.ts";
import { classOf, completedAt, type Run } from "../model/records.ts";
import { earliestString, type PollingSource, type Start } from "../model/source.ts";
import type { Clock, Order, Ports } from "../ports.ts";
import { isGone, type ListedSurvey, surveysOf } from "../survey-list.ts";
import { isFull, type Page, toPage } from "../walk/page.ts";

// Where history begins, found at the beginning of the first tick, before anything else (R15).

/** Surveys asked, those that count most first, and milliseconds for all of them. */
const MOST_SURVEYS = 100;
const WITHIN = 60_000;
/** Milliseconds after which it is looked again where nothing was completed. */
const AGAIN_AFTER = 5_000;
/** Ticks that look until a survey is left out that does not answer. */
const MOST_TICKS = 3;
/** Milliseconds by which clocks that are right may differ. */
const CLOCKS_DIFFER = 300_000;

type Finding = { ports: Ports; source: PollingSource; deadline: number };

/** The start of a source; undefined while surveys that count responses have not shown any: then nothing is polled, and the next tick looks at all again. */
export async function findStart(
  finding: Finding,
  account: AccountState,
  listed: ListedSurvey[],
): Promise<Start | undefined> {
  if (account.start !== undefined) return account.start;
  const { ports, source } = finding;
  const { state, observe } = ports;
  const found = source.startFrom === "now" ? await findNow(finding, account, listed) : startAt(source);
  if ("unanswered" in found) {
    await state.saveAccount({ startLooks: found });
    observe({ kind: "start awaited", ...found });
    return undefined;
  }
  await state.saveAccount({ start: found });
  // Another tick may have been the first by a moment.
  account.start = (await state.account()).start ?? found;
  observe({ kind: "start", ...account.start });
  return account.start;
}

function startAt({ startFrom: from }: PollingSource): Start {
  return { from, at: from === "beginning" ? null : `${from} 00:00:00` };
}

/** One look at the newest responses of all surveys. */
interface Look {
  /** Largest credible date of a completed one. */
  newest: string | undefined;
  hasCompleted: boolean;
  /** Surveys that count responses, and have failed or shown none. */
  unanswered: number[];
}

async function findNow(
  finding: Finding,
  account: AccountState,
  listed: ListedSurvey[],
): Promise<Start | NonNullable<AccountState["startLooks"]>> {
  const { ports, source } = finding;
  let look = await lookAtAll(finding, listed);
  if (!look.hasCompleted && look.unanswered.length === 0) {
    await pause(ports.clock, AGAIN_AFTER);
    look = await lookAtAll(finding, (await surveysOf(ports, source, account)).listed);
  }
  const { newest, hasCompleted, unanswered } = look;
  const ticks = (account.startLooks?.ticks ?? 0) + 1;
  if (unanswered.length > 0 && ticks < MOST_TICKS) return { ticks, unanswered };
  // Nothing completed later may lie before a start that comes from our clock.
  const clockSays = hasCompleted || unanswered.length > 0 ? dateOf(ports.clock.now(), source) : null;
  // fault: start-by-our-clock
  return { from: "now", at: newest ?? clockSays, ...(unanswered.length === 0 ? {} : { leftOut: unanswered }) };
}

/** The service's date string of a moment (epoch milliseconds); without a zone the earliest one in any. */
function dateOf(at: number, { timeZone }: PollingSource): string {
  return timeZone === undefined ? earliestString(at) : localString(at, timeZone);
}

async function lookAtAll({ ports, source, deadline }: Finding, listed: ListedSurvey[]): Promise<Look> {
  const { clock } = ports;
  const until = Math.min(deadline, clock.now() + WITHIN);
  const limit = pLimit(source.concurrency);
  const asked = listed.filter((survey) => !isGone(survey)).sort((a, b) => countOf(b) - countOf(a));
  const lookAt = async (survey: ListedSurvey) => {
    const runs = await newestOf(ports, survey.surveyId, until);
    const completed = (runs ?? []).filter((run) => classOf(run) === "completed");
    return { survey, shown: runs?.length, dates: completed.map(completedAt) };
  };
  const looks = await Promise.all(asked.slice(0, MOST_SURVEYS).map((survey) => limit(lookAt, survey)));
  // What fails may hold responses, whether or not it counts them.
  const unanswered = looks.filter(({ survey, shown }) =>
    countOf(survey) > 0 ? !shown : shown === undefined && !isCounted(survey),
  );
  const completed = looks.flatMap(({ dates }) => dates);
  const latest = source.timeZone === undefined ? undefined : dateOf(clock.now() + CLOCKS_DIFFER, source);
  // fault: future-sets-start
  const isPast = (date: string) => credible(date, clock.now()) && (latest === undefined || date <= latest);
  return {
    newest: completed
      .filter((date) => date !== null)
      .filter(isPast)
      .sort()
      .at(-1),
    hasCompleted: completed.length > 0,
    unanswered: unanswered.map(({ survey }) => survey.surveyId),
  };
}

const isCounted = ({ counts }: ListedSurvey): boolean => counts.some((count) => count !== null);
const countOf = ({ counts }: ListedSurvey): number => Math.max(0, ...counts.map((count) => count ?? 0));

/** The responses of the newest pages of a survey, and those of the oldest page where the newest is full: a list may begin with what is new. Undefined where that fails. */
async function newestOf({ service, clock }: Ports, surveyId: number, until: number): Promise<Run[] | undefined> {
  const read = async (number: number, order: Order): Promise<Page | undefined> =>
    toPage(number, await service.page(surveyId, number, order));
  const runs: Run[] = [];
  try {
    for (let number = 1; ; number += 1) {
      if (clock.now() > until) return undefined;
      const page = await read(number, "desc");
      runs.push(...(page?.runs ?? []));
      if (number === 1 && page !== undefined && isFull(page)) runs.push(...((await read(1, "asc"))?.runs ?? []));
      if (page === undefined || !isFull(page) || page.runs.some((run) => classOf(run) === "completed")) return runs;
    }
  } catch (error) {
    if (endsWork(error)) throw error;
    return undefined;
  }
}

function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.every(milliseconds, () => {
      stop();
      resolve();
    });
  });
}
