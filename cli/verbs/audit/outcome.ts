import { sayWhyOpen } from "../../../lib/polling/model/books.ts";
import type { SurveyState } from "../../target/state.ts";
import type { AuditedSurvey } from "./answer.ts";
import { pagesOf } from "./cost.ts";

/** A survey of which nothing was asked yet. */
export function toDo(survey: SurveyState, outcome: "to do" | "planned" = "to do"): AuditedSurvey {
  return {
    surveyId: survey.surveyId,
    name: survey.mark.survey?.facts.name ?? null,
    pages: pagesOf(survey).pages,
    outcome,
    listed: null,
    found: null,
    missing: null,
    closedAt: null,
    why: null,
    unaccounted: null,
  };
}

/** The state of the mark when a full pass was asked for: when its books were closed last, and when the next pass was due. */
export interface Before {
  closedAt: number | undefined;
  nextPass: number | undefined;
}

export function beforeOf({ mark }: SurveyState, nextPass = mark.nextPass): Before {
  return { closedAt: mark.books?.closedAt, nextPass };
}

/** The outcome of the full pass that was asked for; undefined while it is under way. No two clocks are compared. */
export function outcomeOf(survey: SurveyState, before: Before): AuditedSurvey | undefined {
  const { books, booksOpen, pass, nextPass } = survey.mark;
  const of = toDo(survey);
  if (books !== undefined && booksOpen === undefined && books.closedAt !== before.closedAt) {
    const { listed, found, closedAt } = books;
    return { ...of, outcome: "closed", listed, found, closedAt };
  }
  // A pass at its end says when the next one begins.
  const isOver = pass === undefined && nextPass !== before.nextPass;
  if (!isOver || booksOpen === undefined) return undefined;
  const why = sayWhyOpen(booksOpen);
  if (booksOpen.code !== "unaccounted") return { ...of, outcome: "open", why };
  return { ...of, outcome: "unaccounted", why, unaccounted: { count: booksOpen.count, ids: [] } };
}

/** One that cannot be audited now. */
export function leftOpen(survey: SurveyState, why: string): AuditedSurvey {
  return { ...toDo(survey), outcome: "open", why };
}

/** The same, by what its last full pass has said if that said anything. */
export function stillOpen(survey: SurveyState, why: string): AuditedSurvey {
  const { booksOpen } = survey.mark;
  return leftOpen(survey, booksOpen === undefined ? why : sayWhyOpen(booksOpen));
}

/** The place of a pass: while it stays the same nothing goes on. */
export function placeOfPass({ mark }: SurveyState): string {
  const { pass, phase, booksOpen, nextPass } = mark;
  return JSON.stringify([pass?.page, pass?.failures, phase, booksOpen, nextPass]);
}
