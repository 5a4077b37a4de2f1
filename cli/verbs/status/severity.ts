import type { StatusAnswer, SurveyStatus } from "./answer.ts";

/** The sign of each verdict, in a terminal and on the page. */
export const GLYPHS: Readonly<Record<StatusAnswer["verdict"], string>> = {
  complete: "●",
  working: "◐",
  unknown: "◐",
  late: "▲",
  unaccounted: "■",
};

/** How much a survey needs to be looked at, from 0 to 4: the worst come first. */
export function severityOf({ unaccounted, books, booksOpen, catchUp, now }: SurveyStatus): number {
  if (unaccounted > 0) return 4;
  if (now.quarantined + now.refused + now.held > 0) return 3;
  if (catchUp !== null || now.waiting > 0) return 2;
  return books === null || booksOpen !== null ? 1 : 0;
}
