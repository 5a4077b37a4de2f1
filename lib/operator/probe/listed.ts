import { credible } from "../../events/build/date-string.ts";
import { completedAt, type Page as ReadPage, type Run, startedAt, toPage } from "../../polling/index.ts";

/** A page as it was read. */
export interface Page extends ReadPage {
  /** Which responses it lists, in which order: two pages with the same one list the same. */
  print: string;
}

/** Undefined for a page without records. */
export function pageOf(number: number, records: readonly unknown[]): Page | undefined {
  const page = toPage(number, { kind: "page", records: [...records] });
  if (page === undefined) return undefined;
  return Object.assign(page, { print: page.runs.map((run) => `${run.responseId}:${run.records.length}`).join() });
}

/** Whether the records of some response stand apart on a page. */
export function isApart({ runs }: ReadPage): boolean {
  return new Set(runs.map(({ responseId }) => responseId)).size < runs.length;
}

/** Different responses on some pages. */
export const countOf = (runs: readonly Run[]): number => new Set(runs.map(({ responseId }) => responseId)).size;

/** Undefined where it cannot be read. */
export const isCompleted = ({ records }: Run): boolean | undefined => records[0]?.completed;

/** Dates of a response; null where they cannot be relied upon. */
export function datesOf(run: Run, now: number): { dateStart: string | null; dateCompleted: string | null } {
  const orNull = (date: string | null): string | null => (date !== null && credible(date, now) ? date : null);
  return {
    dateStart: orNull(startedAt(run)),
    dateCompleted: isCompleted(run) === true ? orNull(completedAt(run)) : null,
  };
}
