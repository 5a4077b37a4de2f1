import pLimit from "p-limit";
import { chaseDepth, nextChase } from "./chase.ts";
import type { PollingSource } from "./context.ts";
import { later } from "./dates.ts";
import { type DueSurvey, dueSurveys, type ListedSurvey, readSurveyList, selected } from "./due.ts";
import { concernsWholeSource, failureOf, StateRefusedError } from "./errors.ts";
import type { Presence } from "./first-pass.ts";
import { type PollResult, pollSurvey } from "./poll-survey.ts";
import type { Ports } from "./ports.ts";
import type { AccountState, SurveyRow } from "./state-types.ts";
import { type SurveyOutcome, summarize, type TickSummary } from "./tick-summary.ts";

export interface TickRequest {
  ports: Ports;
  source: PollingSource;
  /** Names whoever runs this tick: the holder of its leases. */
  owner: string;
  /** Epoch milliseconds after which nothing new is begun. */
  deadline: number;
  /** Fingerprint of the service's base URL: the state of one service is not used for another. */
  service: string;
}

/** Surveys polled at once: each keeps some requests in flight of its own. */
const SURVEYS_AT_ONCE = 4;
/** Polled surveys after which their rows are saved, should the tick not come to its end. */
const ROWS_AT_ONCE = 25;
/** A creation date further ahead is no date: no zone and no clock is so wrong. */
const FURTHEST_AHEAD = 26 * 3_600_000;

/** One scheduled run over a source: one look at the survey list, then a poll of each survey that is due. */
export async function tick(request: TickRequest): Promise<TickSummary> {
  const { ports, source, service } = request;
  const account = await ports.state.account();
  if (account.service !== undefined && account.service !== service) {
    throw new StateRefusedError(`the state of source "${source.name}" belongs to another survey service`, {
      hint: "Give the new service a source name of its own, or put the old `baseUrl` back.",
    });
  }
  const all = readSurveyList(await ports.service.surveys());
  const listed = all.filter((survey) => selected(survey.surveyId, source.surveys));
  const now = ports.clock.now();
  // At once: a crash in the first tick must not move the beginning of history.
  if (account.firstTick === undefined) await ports.state.saveAccount({ service, firstTick: now });
  const due = dueSurveys(listed, account.rows, {
    now,
    fullPollEvery: source.fullPoll.every,
    background: source.backgroundRequests,
  });
  ports.observe({ kind: "surveys", listed: listed.length, due: due.length });

  const { outcomes, newest, shortPageEnds } = await pollAll(request, due, account, now);
  await ports.state.saveAccount({
    service,
    lastTick: ports.clock.now(),
    ...(shortPageEnds === undefined ? {} : { shortPageEnds }),
    // Of the first tick that could read a date at all: until then every survey may have failed.
    ...(account.sourceFloor === undefined && newest !== undefined ? { sourceFloor: newest } : {}),
  });
  for (const { error } of outcomes.values()) if (error !== undefined && concernsWholeSource(error)) throw error;
  return {
    source: source.name,
    listed: listed.length,
    surveys: [...outcomes].map(([surveyId, outcome]) => summarize(surveyId, outcome)),
    unpolled: due.length - outcomes.size,
  };
}

interface Polled {
  outcomes: Map<number, SurveyOutcome>;
  /** Largest credible date that was read. */
  newest: string | undefined;
  shortPageEnds: boolean | undefined;
}

/** Polls the due surveys, each on its own: what fails in one does not touch the others. */
async function pollAll(request: TickRequest, due: DueSurvey[], account: AccountState, now: number): Promise<Polled> {
  const { ports, source } = request;
  const outcomes = new Map<number, SurveyOutcome>();
  const limit = pLimit(SURVEYS_AT_ONCE);
  let rows = new Map<number, SurveyRow>();
  let stopped = false;
  let newest: string | undefined;
  let { shortPageEnds } = account;

  const saveRows = async (): Promise<void> => {
    const saved = rows;
    rows = new Map();
    if (saved.size > 0) await ports.state.saveRows(saved);
  };

  const poll = async (survey: DueSurvey): Promise<void> => {
    if (stopped || ports.clock.now() > request.deadline) return;
    const row = account.rows.get(survey.surveyId);
    try {
      const result = await pollSurvey({
        ports,
        source,
        surveyId: survey.surveyId,
        owner: request.owner,
        deadline: request.deadline,
        presence: presenceOf(survey, account, now),
        sourceFloor: account.sourceFloor,
        // While nothing was ever polled the first tick has not been one: "now" is now.
        firstTick: account.rows.size > 0 || account.sourceFloor !== undefined ? account.firstTick : undefined,
        listedCount: Math.max(0, ...survey.counts.map((count) => count ?? 0)),
        shortPageEnds,
        depth: chaseDepth(row, ports.clock.now()),
      });
      outcomes.set(survey.surveyId, { result });
      if (result.kind !== "polled") return;
      newest = later(newest, result.newestSeen);
      // Contradicted once is contradicted for good.
      if (shortPageEnds !== false) shortPageEnds = result.shortPageEnds ?? shortPageEnds;
      rows.set(survey.surveyId, nextRow(survey, row, result, source, ports.clock.now()));
    } catch (error) {
      outcomes.set(survey.surveyId, { error });
      stopped ||= concernsWholeSource(error);
      ports.observe({ kind: "survey failed", surveyId: survey.surveyId, ...failureOf(error) });
    }
    if (rows.size >= ROWS_AT_ONCE) await saveRows();
  };

  await Promise.all(due.map((survey) => limit(poll, survey)));
  await saveRows();
  return { outcomes, newest, shortPageEnds };
}

/** A survey created after the source's first tick has no history from before it. */
function presenceOf({ created }: ListedSurvey, account: AccountState, now: number): Presence {
  const isLater = created !== undefined && created > (account.firstTick ?? now) && created <= now + FURTHEST_AHEAD;
  return isLater ? "later" : "present";
}

/** Counts are saved last, once all that was seen is in the state; of a survey that failed they are not, so it stays due. */
function nextRow(
  survey: ListedSurvey,
  row: SurveyRow | undefined,
  result: Extract<PollResult, { kind: "polled" }>,
  source: PollingSource,
  now: number,
): SurveyRow {
  const { found, complete, unfinished } = result.counts;
  const requestEvery = Math.max(source.interval, 1) / source.backgroundRequests;
  return {
    counts: survey.counts,
    polledAt: now,
    chase: nextChase(survey.counts, row, { now, found, complete, unfinished, resumed: result.resumed, requestEvery }),
    ...(result.dueAt === undefined ? {} : { dueAt: result.dueAt }),
  };
}
