import pLimit from "p-limit";
import { errorCode } from "../errors.ts";
import { chaseDepth, nextChase } from "./chase.ts";
import type { PollingSource } from "./context.ts";
import { later } from "./dates.ts";
import { type DueSurvey, dueSurveys, type ListedSurvey, readSurveyList, selected } from "./due.ts";
import { concernsWholeSource, StateRefusedError } from "./errors.ts";
import type { Presence } from "./first-pass.ts";
import { type PollResult, pollSurvey } from "./poll-survey.ts";
import type { Ports } from "./ports.ts";
import type { AccountState, Books, SurveyRow } from "./state-types.ts";

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

/** What one survey's poll came to, for whoever watches. */
export interface SurveySummary {
  surveyId: number;
  outcome: "polled" | "busy" | "failed";
  emitted: number;
  waiting: number;
  quarantined: number;
  /** Whether there is work left that the next tick goes on with at once. */
  unfinished: boolean;
  books?: Books;
  booksOpen?: string;
  /** Code and message of the failure; nothing personal. */
  failure?: { code: string; message: string };
}

export interface TickSummary {
  source: string;
  listed: number;
  surveys: SurveySummary[];
  /** Due surveys that this tick had no time for. */
  unpolled: number;
}

/** Surveys polled at once: each keeps some requests in flight of its own. */
const SURVEYS_AT_ONCE = 4;

/** One scheduled run over a source: one look at the survey list, then a poll of each survey that is due. */
export async function tick(request: TickRequest): Promise<TickSummary> {
  const { ports, source } = request;
  const account = await ports.state.account();
  if (account.service !== undefined && account.service !== request.service) {
    throw new StateRefusedError(`the state of source "${source.name}" belongs to another survey service`, {
      hint: "Give the new service a source name of its own, or put the old `baseUrl` back.",
    });
  }
  const listed = readSurveyList(await ports.service.surveys()).filter((survey) =>
    selected(survey.surveyId, source.surveys),
  );
  const now = ports.clock.now();
  const firstTick = account.firstTick ?? now;
  const due = dueSurveys(listed, account.rows, {
    now,
    fullPollEvery: source.fullPoll.every,
    background: source.backgroundRequests,
  });
  ports.observe({ kind: "surveys", listed: listed.length, due: due.length });

  const results = await pollAll(request, due, { ...account, firstTick });
  await save(request, account, { due, results, firstTick });
  for (const { error } of results.values()) if (error !== undefined && concernsWholeSource(error)) throw error;
  return {
    source: source.name,
    listed: listed.length,
    surveys: [...results].map(([surveyId, result]) => summarize(surveyId, result)),
    unpolled: due.length - results.size,
  };
}

interface Outcome {
  result?: PollResult;
  error?: unknown;
}

/** Polls the due surveys, each on its own: what fails in one does not touch the others. */
async function pollAll(request: TickRequest, due: DueSurvey[], account: AccountState): Promise<Map<number, Outcome>> {
  const { ports } = request;
  const outcomes = new Map<number, Outcome>();
  const limit = pLimit(SURVEYS_AT_ONCE);
  let stopped = false;
  let shortPageEnds = account.shortPageEnds ?? false;
  await Promise.all(
    due.map((survey) =>
      limit(async () => {
        if (stopped || ports.clock.now() > request.deadline) return;
        try {
          const result = await pollSurvey({
            ports,
            source: request.source,
            surveyId: survey.surveyId,
            owner: request.owner,
            deadline: request.deadline,
            presence: presenceOf(survey, account),
            sourceFloor: account.sourceFloor,
            shortPageEnds,
            depth: chaseDepth(account.rows.get(survey.surveyId), ports.clock.now()),
          });
          if (result.kind === "polled") shortPageEnds ||= result.shortPageEnds;
          outcomes.set(survey.surveyId, { result });
        } catch (error) {
          outcomes.set(survey.surveyId, { error });
          stopped ||= concernsWholeSource(error);
          ports.observe({ kind: "survey failed", surveyId: survey.surveyId, ...failureOf(error) });
        }
      }),
    ),
  );
  return outcomes;
}

/** A survey created after the source's first tick has no history from before it. */
function presenceOf(survey: ListedSurvey, account: AccountState): Presence {
  return survey.created !== undefined && survey.created > (account.firstTick ?? 0) ? "later" : "present";
}

/** Counts are saved last, once all that was seen is in the state; of a survey that failed they are not, so it stays due. */
async function save(
  { ports, service, source }: TickRequest,
  account: AccountState,
  tickDone: { due: DueSurvey[]; results: Map<number, Outcome>; firstTick: number },
): Promise<void> {
  const now = ports.clock.now();
  const rows = new Map<number, SurveyRow>();
  let newest: string | undefined;
  let shortPageEnds = account.shortPageEnds ?? false;
  for (const survey of tickDone.due) {
    const result = tickDone.results.get(survey.surveyId)?.result;
    if (result?.kind !== "polled") continue;
    newest = later(newest, result.newestSeen);
    shortPageEnds ||= result.shortPageEnds;
    rows.set(survey.surveyId, {
      counts: survey.counts,
      chase: nextChase(survey, account.rows.get(survey.surveyId), {
        now,
        found: result.counts.found,
        complete: result.counts.complete,
        requestEvery: Math.max(source.interval, 1) / source.backgroundRequests,
      }),
      polledAt: now,
      ...(result.dueAt === undefined ? {} : { dueAt: result.dueAt }),
    });
  }
  if (rows.size > 0) await ports.state.saveRows(rows);
  await ports.state.saveAccount({
    service,
    lastTick: now,
    firstTick: tickDone.firstTick,
    ...(shortPageEnds ? { shortPageEnds } : {}),
    // The first tick that could read a date at all: until then every survey may have failed.
    ...(account.sourceFloor === undefined && newest !== undefined ? { sourceFloor: newest } : {}),
  });
}

function summarize(surveyId: number, { result, error }: Outcome): SurveySummary {
  const nothing = { surveyId, emitted: 0, waiting: 0, quarantined: 0, unfinished: true };
  if (error !== undefined) return { ...nothing, outcome: "failed", failure: failureOf(error) };
  if (result?.kind !== "polled") return { ...nothing, outcome: "busy" };
  const { counts, books, booksOpen } = result;
  return {
    surveyId,
    outcome: "polled",
    emitted: counts.emitted,
    waiting: counts.waiting,
    quarantined: counts.quarantined,
    unfinished: counts.unfinished || counts.deferred > 0,
    ...(books === undefined ? {} : { books }),
    ...(booksOpen === undefined ? {} : { booksOpen }),
  };
}

/** A message of our own errors is fit for people; of others only the name is given, as they may quote data. */
function failureOf(error: unknown): { code: string; message: string } {
  const code = errorCode(error);
  const own = typeof error === "object" && error !== null && "hint" in error && error instanceof Error;
  return { code, message: own ? error.message : code };
}
