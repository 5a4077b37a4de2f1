import { FULL, type Page, type Run } from "./listed.ts";
import type { Finding } from "./report.ts";

/** The response of which most is known: all its records are on this page, and they are several. */
export function wellKnown({ runs, records }: Page): Run | undefined {
  const isWhole = (i: number): boolean => records < FULL || (i > 0 && i < runs.length - 1);
  return runs
    .filter((run, i) => run.completed === true && isWhole(i))
    .reduce<Run | undefined>((best, run) => (best === undefined || run.records > best.records ? run : best), undefined);
}

/** The answer of operation 9: its records, of a response whose records on its page are known. */
export type Single =
  | { kind: "records"; records: readonly object[]; raw: unknown }
  | { kind: "absent" }
  | { kind: "unreadable" };

/** Operation 9, compared with what the list has of the same response. */
export function singleFinding(single: Single, run: Run): Finding {
  const question = "operation 9";
  if (single.kind === "absent") {
    const says =
      "404 for a response that is listed: contents at the edge of a page are proved by reading both pages again";
    return { question, found: "absent", says };
  }
  if (single.kind === "unreadable") {
    return { question, found: "unreadable", says: "its answer is of no shape that is known: it is not used" };
  }
  const { records, raw } = single;
  const shape = Array.isArray(raw) ? "array" : "object";
  const all = sameQuestions(records, run);
  const counts = `${records.length} of ${run.records} records, as ${shape === "array" ? "an array" : "an object"}`;
  if (run.records === 1) {
    return { question, found: null, says: "not seen: no response of several records was met" };
  }
  if (all) return { question, found: "all records", says: counts };
  if (records.length === 1) return { question, found: "one record", says: `${counts}: it proves nothing` };
  return { question, found: "other records", says: `${counts}, and not those of the list` };
}

function sameQuestions(records: readonly object[], { questionIds }: Run): boolean {
  const ids = records.map((record) => String((record as Record<string, unknown>).questionId)).sort();
  return JSON.stringify(ids) === JSON.stringify(questionIds.map(String).sort());
}
