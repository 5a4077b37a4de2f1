import type { AuditResult } from "../../../operator/audit.ts";
import { sayWhyOpen } from "../../../polling/index.ts";
import { CommandError, notNow } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { SourceWork } from "../../target/source-work.ts";
import { type PolledSurvey, pagesOf, type SourceState } from "../../target/surveys.ts";
import { type Standing, wait, watchTicks } from "../../wait.ts";
import { count, surveyName } from "../../words.ts";

// The full reads that an audit asks for, and what has become of each.

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
  why: string | null;
  unaccounted: { count: number; ids: number[] } | null;
}

/** A survey of which nothing is known yet, or what is. */
export function audited(survey: PolledSurvey, more: Partial<AuditedSurvey> = {}): AuditedSurvey {
  const name = survey.mark.survey?.facts.name ?? null;
  const none = { listed: null, found: null, closedAt: null, why: null, unaccounted: null };
  return { surveyId: survey.surveyId, name, pages: pagesOf(survey).pages, outcome: "to do", ...none, ...more };
}

export function surveyLine(survey: AuditedSurvey): string {
  const { outcome, listed, found, why, unaccounted } = survey;
  const name = surveyName(survey);
  if (unaccounted !== null) {
    const { count: left, ids } = unaccounted;
    return `${name}: ${left} unaccounted${ids.length === 0 ? "" : `: ${ids.join(", ")}`}`;
  }
  if (outcome !== "closed") return `${name}: the books are open: ${why}.`;
  const news = found
    ? ` ${count(found, "response")} no poll had met: ${found === 1 ? "it goes" : "they go"} out now.`
    : "";
  return `${name}: books closed, ${listed} listed, ${listed} accounted for.${news}`;
}

/** The state of the mark when a full read was asked for: when its books were closed last, and when the next one was due. */
type Before = { closedAt: number | undefined; nextPass: number | undefined };

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

type AuditOf = Pick<SourceWork, "target" | "source" | "surveys" | "progress"> & { io: Pick<Io, "now" | "signal"> };

/**
 * Makes the full reads due, and waits until each has come to its end, or comes no further. `isNow`: they are read at once, in slices
 * between which ticks look at the head; else ticks read them.
 */
export async function readPasses(of: AuditOf, isNow: boolean): Promise<AuditedSurvey[]> {
  const planned: { survey: PolledSurvey; before: Before }[] = [];
  for (const survey of of.surveys) {
    const { surveyId, mark } = survey;
    const { outcome, dueAt } = await of.target.operate(of.source.name, "audit", { surveyId, mode: "plan" });
    if (outcome !== "planned") {
      const hint = "Try again in a minute: those before it are planned.";
      throw notNow("SURVEY_BUSY", `somebody else is at work on survey ${surveyId}`, { hint });
    }
    planned.push({ survey, before: { closedAt: mark.books?.closedAt, nextPass: dueAt } });
  }
  const all: AuditedSurvey[] = [];
  for (const { survey, before } of planned) {
    const done = planned.length > 1 ? `, ${all.length} of ${count(planned.length, "survey")} done` : "";
    all.push(await readPass(of, survey, { before, isNow, done }));
  }
  return all;
}

/** Milliseconds after a slice that could not be read, and such slices in a row after which a survey is left. */
const PAUSE = 1_000;
const MOST_FAILURES = 3;

function readPass(
  of: AuditOf,
  survey: PolledSurvey,
  { before, isNow, done }: { before: Before; isNow: boolean; done: string },
): Promise<AuditedSurvey> {
  const { surveyId } = survey;
  let failures = 0;
  /** Why it is waited for no longer. */
  let left: string | undefined;
  const look = ({ surveys }: SourceState): Standing<AuditedSurvey> => {
    const now = surveys.find((one) => one.surveyId === surveyId) ?? survey;
    const { booksOpen, pass } = now.mark;
    const over = outcomeOf(now, before);
    if (over !== undefined) return { over };
    if (left !== undefined) return { over: audited(now, { outcome: "open", why: left }) };
    const { pages } = pagesOf(now);
    const page = Math.max(1, pass?.page ?? 1);
    of.progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)}${done}`, (page - 1) / pages);
    // While any survey comes further ticks go on.
    const place = surveys.map(({ mark: one }) => [
      one.pass?.page,
      one.pass?.failures,
      one.phase,
      one.booksOpen,
      one.nextPass,
    ]);
    const leave = (why: string) =>
      audited(now, { outcome: "open", why: booksOpen === undefined ? why : sayWhyOpen(booksOpen) });
    return { place: JSON.stringify(place), leave };
  };
  if (!isNow) return watchTicks(of, look);
  return watchTicks(of, look, async () => {
    const asked = of.target.operate(of.source.name, "audit", { surveyId, mode: "read" });
    const { outcome, failure } = await asked.catch((error): AuditResult => {
      // A refusal of the service for now is no failure of the audit.
      if (!(error instanceof CommandError) || !/^(TOO_MANY_REQUESTS|OUT_OF_TIME)$/.test(error.code)) throw error;
      return { outcome: "busy", failure: error };
    });
    failures = failure === undefined ? 0 : failures + 1;
    if (outcome === "behind") left = "it is being caught up";
    else if (failure !== undefined && failures === MOST_FAILURES) left = failure.message;
    else if (outcome === "busy" || failure !== undefined) await wait(PAUSE, of.io);
  });
}
