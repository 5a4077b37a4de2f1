import type { StatusAnswer, SurveyStatus } from "./answer.ts";

/** The sign of each verdict, in a terminal and on the page. */
export const GLYPHS: Readonly<Record<StatusAnswer["verdict"], string>> = {
  complete: "●",
  working: "◐",
  unknown: "◐",
  late: "▲",
  withheld: "■",
  unaccounted: "■",
};

/** Responses that do not go out as they are. */
export function withheldIn({ now }: Pick<SurveyStatus, "now">): number {
  return now.held + now.quarantined + now.refused;
}

/** How much a survey needs to be looked at, from 0 to 5: the worst come first. */
export function severityOf(survey: SurveyStatus): number {
  const { unaccounted, books, booksOpen, catchUp, now } = survey;
  if (unaccounted > 0) return 5;
  if (withheldIn(survey) > 0) return 4;
  if (catchUp !== null || now.waiting > 0) return 2;
  return books === null || booksOpen !== null ? 1 : 0;
}
