import { credible } from "../../events/build/date-string.ts";
import { isText, readFlag, readId } from "../../events/build/fields.ts";

/** Records of one response that stand together on a page. */
export interface Run {
  responseId: number;
  /** Undefined where it cannot be read. */
  completed: boolean | undefined;
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
      const completed = readFlag(fields.completed);
      runs.push({
        responseId,
        completed,
        dateStart: dateOf(fields.dateStart, now),
        dateCompleted: completed === true ? dateOf(fields.dateCompleted, now) : null,
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

const dateOf = (value: unknown, now: number): string | null => (isText(value) && credible(value, now) ? value : null);
