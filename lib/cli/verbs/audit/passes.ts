import type { SourceConfig } from "../../../config/index.ts";
import type { AuditResult } from "../../../operator/audit.ts";
import { sayWhyOpen } from "../../../polling/index.ts";
import { CommandError, notNow } from "../../errors.ts";
import type { Io, ProgressLine } from "../../io.ts";
import { type PolledSurvey, pagesOf, type SourceState } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import { type Standing, wait, watchTicks } from "../../wait.ts";
import { count } from "../../words.ts";

/** The cost of a full read. */
export interface AuditCost {
  /** Pages of the lists, as far as is known. */
  pages: number;
  /** False where a list was never read to its end: it may have more pages. */
  isExact: boolean;
  /** About two for each page: each is read again to prove that it has not moved. */
  requests: number;
  /** At the rate that was learned; null where nothing was ever refused. */
  seconds: number | null;
  /** When it is done within the background budget, at the latest (epoch milliseconds); null with --now. */
  by: number | null;
}

export interface AuditedSurvey {
  surveyId: number;
  name: string | null;
  pages: number;
  outcome: "to do" | "closed" | "open" | "unaccounted";
  /** As the closed books have it. */
  listed: number | null;
  /** New responses that no scan had met: they went out. */
  found: number | null;
  closedAt: number | null;
  /** Why the books are open. */
  why: string | null;
  unaccounted: { count: number; ids: number[] } | null;
}

/** The output of `audit --json`, beside `schemaVersion`. */
export interface AuditAnswer {
  dryRun: boolean;
  source: string;
  mode: "background" | "now";
  cost: AuditCost;
  surveys: AuditedSurvey[];
}

interface AuditOf {
  target: Target;
  source: SourceConfig;
  /** As they were before the audit. */
  surveys: readonly PolledSurvey[];
  io: Pick<Io, "now" | "signal">;
  progress: ProgressLine;
}

/** A survey of which nothing is known yet, or what is. */
export function audited(survey: PolledSurvey, more: Partial<AuditedSurvey> = {}): AuditedSurvey {
  const name = survey.mark.survey?.facts.name ?? null;
  const none = { listed: null, found: null, closedAt: null, why: null, unaccounted: null };
  return { surveyId: survey.surveyId, name, pages: pagesOf(survey).pages, outcome: "to do", ...none, ...more };
}

/** One that is left, by what its last full read has said if that said anything. */
function stillOpen(survey: PolledSurvey, why: string): AuditedSurvey {
  const { booksOpen } = survey.mark;
  return audited(survey, { outcome: "open", why: booksOpen === undefined ? why : sayWhyOpen(booksOpen) });
}

/** The state of the mark when a full read was asked for: when its books were closed last, and when the next one was due. */
interface Before {
  closedAt: number | undefined;
  nextPass: number | undefined;
}

function beforeOf({ mark }: PolledSurvey, nextPass = mark.nextPass): Before {
  return { closedAt: mark.books?.closedAt, nextPass };
}

/** The outcome of the full read that was asked for; undefined while it is under way. No two clocks are compared. */
export function outcomeOf(survey: PolledSurvey, before: Before): AuditedSurvey | undefined {
  const { books, booksOpen, pass, nextPass } = survey.mark;
  if (books !== undefined && booksOpen === undefined && books.closedAt !== before.closedAt) {
    const { listed, found, closedAt } = books;
    return audited(survey, { outcome: "closed", listed, found, closedAt });
  }
  // A pass at its end says when the next one begins.
  const isOver = pass === undefined && nextPass !== before.nextPass;
  if (!isOver || booksOpen === undefined) return undefined;
  const why = sayWhyOpen(booksOpen);
  if (booksOpen.code !== "unaccounted") return audited(survey, { outcome: "open", why });
  return audited(survey, { outcome: "unaccounted", why, unaccounted: { count: booksOpen.count, ids: [] } });
}

/** The place of a pass: while it stays the same nothing goes on. */
function placeOfPass({ mark: { pass, phase, booksOpen, nextPass } }: PolledSurvey): string {
  return JSON.stringify([pass?.page, pass?.failures, phase, booksOpen, nextPass]);
}

function show(progress: ProgressLine, survey: PolledSurvey, more = ""): void {
  const { pages } = pagesOf(survey);
  const page = Math.max(1, survey.mark.pass?.page ?? 1);
  progress.update(`survey ${survey.surveyId}: page ${page} of ${Math.max(page, pages)}${more}`, (page - 1) / pages);
}

/**
 * Makes the full reads due, and waits until each has come to its end, or comes no further. `isNow`: they are read at once, in slices
 * between which ticks look at the head; else ticks read them.
 */
export async function readPasses(of: AuditOf, isNow: boolean): Promise<AuditedSurvey[]> {
  const planned = new Map<number, Before>();
  for (const survey of of.surveys) planned.set(survey.surveyId, beforeOf(survey, await plan(of, survey)));
  /** Why surveys are waited for no longer. */
  const left = new Map<number, string>();
  let [next, failures] = [0, 0];
  const look = ({ surveys }: SourceState): Standing<AuditedSurvey[]> => {
    const chosen = surveys.filter(({ surveyId }) => planned.has(surveyId));
    const outcomes = chosen.map((survey) => {
      const why = left.get(survey.surveyId);
      const over = outcomeOf(survey, planned.get(survey.surveyId) ?? beforeOf(survey));
      return over ?? (why === undefined ? undefined : audited(survey, { outcome: "open", why }));
    });
    const pending = chosen.filter((_, i) => outcomes[i] === undefined);
    const [first] = pending;
    if (first === undefined) return { over: outcomes.filter((outcome) => outcome !== undefined) };
    next = first.surveyId;
    const done = count(chosen.length - pending.length, "survey");
    show(of.progress, first, chosen.length > 1 ? `, ${done} of ${chosen.length} done` : "");
    const leave = (why: string) => chosen.map((survey, i) => outcomes[i] ?? stillOpen(survey, why));
    return { place: JSON.stringify(pending.map(placeOfPass)), leave };
  };
  if (!isNow) return watchTicks(of, look);
  return watchTicks(of, look, async () => {
    const { outcome, failure } = await readSlice(of, next);
    failures = failure === undefined ? 0 : failures + 1;
    if (outcome === "behind") left.set(next, "it is being caught up");
    else if (failure !== undefined && failures === MOST_FAILURES) left.set(next, failure.message);
    else if (outcome === "busy" || failure !== undefined) await wait(PAUSE, of.io);
  });
}

async function plan({ target, source }: AuditOf, { surveyId }: PolledSurvey): Promise<number | undefined> {
  const { outcome, dueAt } = await target.operate(source.name, "audit", { surveyId, mode: "plan" });
  if (outcome === "planned") return dueAt;
  const hint = "Try again in a minute: those before it are planned.";
  throw notNow("SURVEY_BUSY", `somebody else is at work on survey ${surveyId}`, { hint });
}

/** Milliseconds after a slice that could not be read, and such slices in a row after which a survey is left. */
const PAUSE = 1_000;
const MOST_FAILURES = 3;

async function readSlice({ target, source }: AuditOf, surveyId: number): Promise<AuditResult> {
  try {
    return await target.operate(source.name, "audit", { surveyId, mode: "read" });
  } catch (error) {
    // A refusal of the service for now is no failure of the audit.
    if (!(error instanceof CommandError) || !/^(TOO_MANY_REQUESTS|OUT_OF_TIME)$/.test(error.code)) throw error;
    return { outcome: "busy", failure: error };
  }
}
