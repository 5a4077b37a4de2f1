import { CAUSES, type Cause, type Comparison, compare } from "../../../lib/operator/against/compare.ts";
import { sayWhyOpen } from "../../../lib/polling/index.ts";
import { count, surveyName } from "../../words.ts";
import type { IdList } from "./id-list.ts";
import type { ReadService } from "./read-service.ts";

/** The output of `audit --against --json`, beside `schemaVersion`. */
export interface AgainstAnswer {
  service: string;
  /** Epoch milliseconds. */
  startedAt: number;
  endedAt: number;
  requests: number;
  /** Whether nothing that was listed all the time can have slipped through. */
  isSure: boolean;
  /** Why not, beside what the surveys say. */
  why: string[];
  totals: {
    listed: number;
    completed: number;
    open: number;
    /** Rows of the list of ids, its different ids, and its rows without one. */
    rows: number;
    ids: number;
    unreadable: number;
    missing: number;
    unknown: number;
    twice: number;
    causes: Record<Cause, number>;
  };
  surveys: AgainstSurvey[];
  /** Ids that no list shows. */
  unknown: number[];
  /** Ids that stand more than once in the list of ids. */
  twice: number[];
}

export interface AgainstSurvey extends Comparison {
  surveyId: number;
  name: string | null;
  pages: number;
  /** Whether its list was seen to change. */
  moved: boolean;
  /** Pages that could not be read. */
  unread: number[];
  /** Why something may have slipped through; null where nothing can have. */
  why: string | null;
}

/** Compares the list of ids with all that the service lists. */
export function comparisonOf(
  { ids, rows, unreadable }: IdList,
  { surveys: read, nameless }: ReadService,
): Omit<AgainstAnswer, "service" | "startedAt" | "endedAt" | "requests"> {
  const listed = new Set<number>();
  const several = new Set<number>();
  for (const { id } of read.flatMap((survey) => survey.rows)) {
    if (listed.has(id)) several.add(id);
    listed.add(id);
  }
  const unknown = ascending([...ids.keys()].filter((id) => !listed.has(id)));
  const twice = ascending([...ids].flatMap(([id, times]) => (times > 1 ? [id] : [])));
  const surveys = read.map(({ surveyId, name, pages, moved, open, ...list }): AgainstSurvey => {
    const unread = open?.code === "pages-unreachable" ? open.pages : [];
    const why = open === undefined ? null : sayWhyOpen(open);
    return { surveyId, name, ...compare(list, ids, unknown.at(-1)), pages, moved, unread, why };
  });
  const sum = (of: (survey: AgainstSurvey) => number): number => surveys.reduce((all, survey) => all + of(survey), 0);
  const withCause = (cause: Cause): number => sum(({ missing }) => missing.filter((one) => one.cause === cause).length);
  const unclear = sum((one) => one.unreadable);
  const why = [
    ...(unclear > 0 ? [`${count(unclear, "response")} not in your list, and nobody can read whether completed`] : []),
    ...(nameless > 0 ? [`${count(nameless, "row")} of the survey list without an id: their lists were not read`] : []),
    ...(several.size > 0 ? [`${count(several.size, "id")} in several surveys: compare each one by --survey`] : []),
  ];
  return {
    isSure: why.length === 0 && surveys.every((survey) => survey.why === null),
    why,
    totals: {
      ...{ listed: sum((one) => one.listed), completed: sum((one) => one.completed), open: sum((one) => one.open) },
      ...{ rows, ids: ids.size, unreadable },
      ...{ missing: sum(({ missing }) => missing.length), unknown: unknown.length, twice: twice.length },
      causes: Object.fromEntries(CAUSES.map((cause) => [cause, withCause(cause)])) as Record<Cause, number>,
    },
    ...{ surveys, unknown, twice },
  };
}

const ascending = (ids: number[]): number[] => ids.sort((a, b) => a - b);

/** A cause in words. */
export const CAUSE_TEXT: Record<Cause, string> = {
  late: "completed late, behind newer ones that you have",
  open: "still open when newer ones that you have completed",
  tie: "same second as another one that you have",
  before: "completed before everything that you have",
  after: "completed after everything that you have",
  moved: "on a page that moved while it was read here",
  unknown: "unknown",
};

/** How sure the answer is, in sentences. */
export function sureness({ isSure, why, surveys }: Pick<AgainstAnswer, "isSure" | "why" | "surveys">): string[] {
  const moved = surveys.some((survey) => survey.moved) ? " Pages moved meanwhile, and were read again." : "";
  if (isSure) return [`Every page was read twice alike.${moved}`];
  return [
    "Not sure: there may be more that is missing.",
    ...why.map((text) => `${text}.`),
    ...surveys.flatMap((survey) => {
      const { why: open, unread, pages } = survey;
      if (open === null) return [];
      const part = unread.length === 0 ? "" : ` (${count(unread.length, "page")} of ${Math.max(pages, ...unread)})`;
      return [`${surveyName(survey)}: ${open}${part}.`];
    }),
  ];
}
