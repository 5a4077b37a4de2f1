import { isInteger } from "../../events/build/fields.ts";
import type { Page } from "./listed.ts";
import type { Finding } from "./report.ts";

const FIELDS = ["responses", "correct", "unpaidResponses"] as const;

/** A row of the survey list, and all that the survey lists. */
export interface Counted {
  row: Record<string, unknown>;
  page: Page;
}

/** The meaning of the three counts of the survey list, by surveys whose lists were read whole. */
export function countFindings(surveys: readonly Counted[]): Finding[] {
  return FIELDS.map((field) => {
    const question = `count ${field}` as const;
    const said = surveys.flatMap((survey) => kindOf(survey, field) ?? []);
    // A survey with open responses tells more than one without.
    const found = said.find(({ word }) => word !== OPEN_QUESTION) ?? said[0];
    if (found === undefined) return { question, found: null, says: "not seen: no list was read whole, on one page" };
    return { question, found: found.word, says: found.says };
  });
}

const OPEN_QUESTION = "completed or all";

function kindOf({ row, page }: Counted, field: string): { word: string; says: string } | undefined {
  const count = row[field];
  if (!isInteger(count) || page.runs.length === 0) return undefined;
  const ids = (state: boolean): number =>
    new Set(page.runs.filter(({ completed }) => completed === state).map(({ responseId }) => responseId)).size;
  const [completed, open] = [ids(true), ids(false)];
  const of = `${count} where ${completed} completed and ${open} open ones are listed`;
  if (count === 0) return { word: "zero", says: of };
  if (open === 0 && count === completed)
    return { word: OPEN_QUESTION, says: `${of}: whether open ones count is not seen` };
  if (count === completed) return { word: "completed", says: of };
  if (count === completed + open) return { word: "all", says: of };
  return count > completed + open
    ? { word: "more than are listed", says: `${of}: others count too, such as open ones` }
    : { word: "fewer than are listed", says: `${of}: it lags behind, or counts some alone` };
}
