import { credible } from "../../events/build/date-string.ts";
import { isText, readId } from "../../events/build/fields.ts";

/** Records of one response that stand together on a page. */
export interface Run {
  responseId: number;
  isOpen: boolean;
  /** Null where it cannot be relied upon. */
  dateStart: string | null;
  dateCompleted: string | null;
  records: number;
  questionIds: unknown[];
}

/** A page as it was read. */
export interface Page {
  runs: Run[];
  records: number;
  /** Two pages with the same one hold the same. */
  print: string;
}

/** Records of a full page, by the API document. */
export const FULL = 100;

export function pageOf(elements: readonly unknown[], now: number): Page {
  const runs: Run[] = [];
  const print: unknown[] = [];
  for (const element of elements) {
    const fields = (element ?? {}) as Record<string, unknown>;
    const responseId = readId(fields.responseId);
    print.push([responseId, fields.questionId]);
    if (responseId === undefined) continue;
    const last = runs.at(-1);
    if (last?.responseId === responseId) {
      last.records += 1;
      last.questionIds.push(fields.questionId);
    } else {
      const isOpen = !isCompleted(fields.completed);
      runs.push({
        responseId,
        isOpen,
        dateStart: dateOf(fields.dateStart, now),
        dateCompleted: isOpen ? null : dateOf(fields.dateCompleted, now),
        records: 1,
        questionIds: [fields.questionId],
      });
    }
  }
  return { runs, records: elements.length, print: JSON.stringify(print) };
}

/** Whether the records of some response stand apart on a page. */
export function isApart({ runs }: Page): boolean {
  return new Set(runs.map(({ responseId }) => responseId)).size < runs.length;
}

const isCompleted = (value: unknown): boolean => value === 1 || value === true || value === "1" || value === "true";
const dateOf = (value: unknown, now: number): string | null => (isText(value) && credible(value, now) ? value : null);
